/** An application as Nest's users write it. */
import { Controller, Get, Inject, Injectable, Module, Param, Post } from '@nestjs/common'
import { Cron, ScheduleModule } from '@nestjs/schedule'
import { HealthCheck, type HealthCheckResult, HealthCheckService, TerminusModule } from '@nestjs/terminus'
import { currentHold, Holdfast } from '../../src/index.js'
import { HoldfastHealthIndicator, Lock, ScheduledLock } from '../../src/integrations/nestjs/index.js'

/** What happens in it, for tests to see and to stop. */
export class Journal {
  readonly reports: string[] = []
  readonly settlements: string[] = []
  gate: Promise<unknown> = Promise.resolve()
  readonly begun: Array<() => void> = []

  begins(line: string): void {
    this.settlements.push(line)
    for (const tell of this.begun.splice(0)) tell()
  }
}

@Injectable()
export class Invoices {
  constructor(private readonly journal: Journal) {}

  @Lock('invoice:{0.id}', { waitMs: 10_000 })
  async settle(invoice: { id: string }): Promise<string> {
    this.journal.begins(`settle ${invoice.id}`)
    await this.journal.gate
    this.journal.settlements.push(`settled ${invoice.id}`)
    return `${currentHold()?.name} settled`
  }

  @Lock((invoice: { id: string }) => `invoice:${invoice.id}`, { waitMs: 0 })
  async settleTwice(invoice: { id: string }): Promise<string[]> {
    return [await this.settle(invoice), await this.settle(invoice)]
  }
}

@Injectable()
export class Reports {
  constructor(private readonly journal: Journal) {}

  // Either order of the two decorators is right.
  @Cron('* * * * * *', { name: 'below' })
  @ScheduledLock('report:below', { atLeastMs: 60_000, atMostMs: 120_000 })
  async below(): Promise<void> {
    this.journal.reports.push(`below ${currentHold()?.name}`)
  }

  @ScheduledLock('report:above', { atLeastMs: 60_000, atMostMs: 120_000 })
  @Cron('* * * * * *', { name: 'above' })
  async above(): Promise<void> {
    this.journal.reports.push(`above ${currentHold()?.name}`)
  }
}

@Controller('invoices')
export class InvoicesController {
  constructor(
    private readonly invoices: Invoices,
    @Inject(Holdfast) private readonly holdfast: Holdfast,
  ) {}

  @Post(':id')
  settle(@Param('id') id: string): Promise<string> {
    return this.invoices.settle({ id })
  }

  @Post(':id/direct')
  @Lock('invoice:{0}', { waitMs: 0 })
  async direct(@Param('id') id: string): Promise<{ locked: boolean }> {
    return { locked: await this.holdfast.lock(`invoice:${id}`).isLocked() }
  }
}

@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly holdfast: HoldfastHealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  check(): Promise<HealthCheckResult> {
    return this.health.check([() => this.holdfast.check('locks', 2_000)])
  }
}

@Module({
  imports: [ScheduleModule.forRoot(), TerminusModule.forRoot({ logger: false })],
  providers: [Journal, Invoices, Reports],
  controllers: [InvoicesController, HealthController],
})
export class InvoicesModule {}
