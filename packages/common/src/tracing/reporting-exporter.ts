import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../log/logging.ts';

/** Says in the log when traces cannot be delivered, once, and when they can be again. */
export class ReportingExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #log: Logger;
  #away = false;

  constructor(exporter: SpanExporter, log: Logger) {
    this.#exporter = exporter;
    this.#log = log;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      const away = result.code !== ExportResultCode.SUCCESS;
      if (away && !this.#away) this.#log.warn({ err: result.error }, 'traces_not_delivered');
      if (!away && this.#away) this.#log.info('traces_delivered');
      this.#away = away;
      done(result);
    });
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }
}
