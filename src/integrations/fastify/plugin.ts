import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { checkBoolean } from '../../base/checks/checks.js'
import type { Holdfast } from '../../holdfast.js'
import { httpAnswer } from '../http/http-answer.js'
import { Service, type ServiceOptions } from '../service/service.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The application's client, from the plugin `fastifyHoldfast`. */
    readonly holdfast: Holdfast
  }
}

/** Options of the plugin {@link fastifyHoldfast}. */
export interface FastifyHoldfastOptions extends ServiceOptions {
  /**
   * Whether the plugin sets an error handler that answers errors of Holdfast by `httpAnswer`, and passes all others on. `false` if the
   * application sets one, which can call `httpAnswer` itself.
   * @default true
   */
  readonly answersErrors?: boolean
}

/**
 * The plugin for Fastify: `app.holdfast` in the whole application, answers to errors of Holdfast (see `httpAnswer`), and an end with the
 * application: when the requests have ended, running sections have `drainMs` to end.
 */
export const fastifyHoldfast: FastifyPluginAsync<FastifyHoldfastOptions> = async (app, options) => {
  const { answersErrors = true, ...settings } = options
  checkBoolean('answersErrors', answersErrors)
  const service = new Service(settings, {
    warn: (text) => app.log.warn(text),
    error: (error) => app.log.error(error, 'holdfast'),
  })
  app.decorate('holdfast', service.holdfast)
  if (answersErrors) answerErrors(app)
  app.addHook('onClose', () => service.close())
}

// What `fastify-plugin` does: the plugin is for the application, not for a context of its own.
Object.assign(fastifyHoldfast, {
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: 'holdfast',
  [Symbol.for('plugin-meta')]: { name: 'holdfast', fastify: '4.x || 5.x' },
})

function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    const answer = httpAnswer(error)
    // To Fastify's own handler.
    if (!answer) throw error
    const { statusCode, headers, body } = answer
    request.log[statusCode < 500 ? 'info' : 'error']({ err: error }, 'lock')
    return reply.code(statusCode).headers(headers).send(body)
  })
}
