import type { JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import type { OtlpAttribute, OtlpTraces } from '../../../src/entries/otel.ts'

type ReadableSpan = Parameters<typeof JsonTraceSerializer.serializeRequest>[0][number]

/** Returns the spans as OpenTelemetry's SDK has them, so that its own transformer writes them. */
export function readable({ resourceSpans }: OtlpTraces): ReadableSpan[] {
  return resourceSpans.flatMap(({ resource: { attributes: facts }, scopeSpans }) => {
    // The transformer groups spans by the object.
    const resource = { attributes: attributes(facts), merge: unused, getRawAttributes: () => [] }
    return scopeSpans.flatMap(({ scope, spans }) =>
      spans.map((span) => ({
        name: span.name,
        // The SDK counts kinds from 0.
        kind: span.kind - 1,
        spanContext: () => ({ traceId: span.traceId, spanId: span.spanId, traceFlags: 1 }),
        ...(span.parentSpanId !== undefined && {
          parentSpanContext: { traceId: span.traceId, spanId: span.parentSpanId, traceFlags: 1 },
        }),
        startTime: hrTime(span.startTimeUnixNano),
        endTime: hrTime(span.endTimeUnixNano),
        status: span.status,
        attributes: attributes(span.attributes),
        links: [],
        events: [],
        duration: [0, 0],
        ended: true,
        resource,
        instrumentationScope: scope,
        droppedAttributesCount: 0,
        droppedEventsCount: 0,
        droppedLinksCount: 0,
      })),
    )
  })
}

function unused(): never {
  throw new Error('no test merges resources')
}

function hrTime(nanos: string): [number, number] {
  return [Number(BigInt(nanos) / 1_000_000_000n), Number(BigInt(nanos) % 1_000_000_000n)]
}

function attributes(list: readonly OtlpAttribute[]): Record<string, string | number | boolean> {
  return Object.fromEntries(
    list.map(({ key, value }) => [
      key,
      'intValue' in value
        ? Number(value.intValue)
        : (Object.values<string | number | boolean>(value)[0] ?? ''),
    ]),
  )
}
