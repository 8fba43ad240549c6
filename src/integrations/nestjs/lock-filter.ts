import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common'
import { HoldfastError } from '../../base/errors/holdfast-error.js'
import { httpAnswer } from '../http/http-answer.js'

/** What the responses of Express and of Fastify have in common. */
interface Response {
  status(code: number): unknown
  header(name: string, value: string): unknown
  send(body: object): unknown
}

/**
 * Answers requests that fail with an error of Holdfast, as `httpAnswer` says: 423 for a lock that is in use, 503 for a store that is down.
 * With Nest on Express or on Fastify: `{ provide: APP_FILTER, useClass: LockFilter }` among the providers. What is no request over HTTP it
 * passes on.
 */
export class LockFilter implements ExceptionFilter<HoldfastError> {
  readonly #logger = new Logger('Holdfast')

  catch(error: HoldfastError, host: ArgumentsHost): void {
    const answer = host.getType() === 'http' ? httpAnswer(error) : undefined
    if (!answer) throw error
    const { statusCode, headers, body } = answer
    if (statusCode >= 500) this.#logger.error(error.message)
    const response = host.switchToHttp().getResponse<Response>()
    response.status(statusCode)
    for (const [name, value] of Object.entries(headers)) response.header(name, value)
    response.send(body)
  }
}

// A call in place of the syntax of decorators, so that this file needs no setting of the compiler.
Catch(HoldfastError)(LockFilter)
