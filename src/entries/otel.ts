export type { Sink, SinkStep } from '../core/state/sink.ts'
export type { SpanOptions } from '../sinks/otel/options.ts'
export type { OtlpAttribute, OtlpSpan, OtlpTraces, OtlpValue } from '../sinks/otel/otlp.ts'
export { type SpanMemory, spanSink, toSpans, tracesOf } from '../sinks/otel/to-spans.ts'
