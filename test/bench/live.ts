import type { Source } from '../../src/reading/source.ts'
import { loadedSourceOf } from '../../src/wires/sources.ts'
import { heading, table, time } from './gates.ts'
import { raceCpu } from './measure.ts'
import { WORKLOADS, type Workload } from './reading.ts'

const LENGTHS = [1_000, 10_000]
/** Lines that arrive together, for example in one chunk of a pipe. */
const CHUNK = 16
/** V8 compiles what runs while it is measured, so a short stream is folded in more rounds. */
const LINES_OF_ALL_ROUNDS = 70_000

/** Measures a stream that is folded while it arrives. */
export function benchLive(): void {
  heading('A live stream, per line')
  const rows = WORKLOADS.filter(({ isStream }) => isStream).flatMap((workload) =>
    LENGTHS.map((length) => rowOf(workload, length)),
  )
  table(['stream', 'lines', 'line by line', `in chunks of ${CHUNK}`], rows)
}

function rowOf({ name, architecture, textOf }: Workload, length: number): readonly string[] {
  const source = loadedSourceOf(architecture)
  const messages = textOf(length)
    .split('\n')
    .map((line): unknown => JSON.parse(line))
  const candidates = {
    single: () => fold(source, messages, 1),
    chunks: () => fold(source, messages, CHUNK),
  }
  const { single, chunks } = raceCpu(candidates, LINES_OF_ALL_ROUNDS / length)
  const perLine = (cost: number) => time(cost / messages.length)
  return [name, messages.length.toLocaleString('en-US'), perLine(single), perLine(chunks)]
}

/** Makes a state after each chunk. */
function fold(source: Source, messages: readonly unknown[], chunk: number): void {
  let session = source.open()
  for (let from = 0; from < messages.length; from += chunk)
    session = source.read(session, messages.slice(from, from + chunk)).session
}
