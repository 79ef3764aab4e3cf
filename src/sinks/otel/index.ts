export type { Sink, SinkStep } from '../sink.ts'
export type { SpanOptions } from './options.ts'
export type { OtlpAttribute, OtlpSpan, OtlpTraces, OtlpValue } from './otlp.ts'
export { type SpanMemory, spanSink, toSpans, tracesOf } from './to-spans.ts'
