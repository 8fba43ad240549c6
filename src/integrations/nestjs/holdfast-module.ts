// As a whole: an old release has no builder, and would fail before anybody says why.
import * as nest from '@nestjs/common'
import { checkBoolean } from '../../base/checks/checks.js'
import { isError } from '../../base/errors/is-error.js'
import { checkPeer } from '../../base/packages/peer.js'
import { Holdfast } from '../../holdfast.js'
import { checkSettings, Service, type ServiceOptions } from '../service/service.js'
import { HoldfastHealthIndicator } from './health-indicator.js'

checkPeer('@nestjs/common')

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new nest.ConfigurableModuleBuilder<ServiceOptions>({
  moduleName: 'Holdfast',
})
  .setClassMethodName('forRoot')
  .setExtras({ isGlobal: true }, (definition, { isGlobal = true }) => {
    checkBoolean('isGlobal', isGlobal)
    return { ...definition, global: isGlobal }
  })
  .build()

/**
 * Gives an application one `Holdfast` to inject, for all its modules: `HoldfastModule.forRoot({ store })`, `forRoot()` or
 * `forRootAsync({ inject, useFactory })`. When the application closes, requests end first, and then running sections have `drainMs` to end.
 * See docs/nestjs.md.
 */
export class HoldfastModule extends ConfigurableModuleClass {
  static override forRoot(options: ServiceOptions & { isGlobal?: boolean } = {}): nest.DynamicModule {
    checkSettings(options)
    return super.forRoot(options)
  }
}

/** Nest has both closed when the application has stopped to serve. */
class ApplicationService extends Service implements nest.OnApplicationShutdown {
  onApplicationShutdown(): Promise<void> {
    return this.close()
  }
}

function open(options: ServiceOptions): ApplicationService {
  const logger = new nest.Logger('Holdfast')
  return new ApplicationService(options, {
    warn: (text) => logger.warn(text),
    error: (error) => logger.error(isError(error) ? error.message : String(error)),
  })
}

// A call in place of the syntax of decorators, so that this file needs no setting of the compiler.
nest.Module({
  providers: [
    { provide: ApplicationService, inject: [MODULE_OPTIONS_TOKEN], useFactory: open },
    { provide: Holdfast, inject: [ApplicationService], useFactory: ({ holdfast }: Service) => holdfast },
    {
      provide: HoldfastHealthIndicator,
      inject: [Holdfast],
      useFactory: (holdfast: Holdfast) => new HoldfastHealthIndicator(holdfast),
    },
  ],
  exports: [Holdfast, HoldfastHealthIndicator],
})(HoldfastModule)
