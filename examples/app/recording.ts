import { readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import {
  type DecodedLines,
  decodeLines,
  detectArchitecture,
  endLines,
  initialLines,
  readTranscript,
  type SessionEvent,
  type Source,
} from 'agentfold'
import { claudeSource } from 'agentfold/claude'
import { opencodeSource } from 'agentfold/opencode'

/** Reads the events of a recording. Throws an `Error` if no format recognizes it. */
export async function readRecording(path: string): Promise<readonly SessionEvent[]> {
  const raw = await readFile(path, 'utf8')
  const architecture = detectArchitecture(raw)
  if (!architecture) throw new Error(`${path}: not a session of Claude Code or OpenCode`)
  return readTranscript(architecture, raw).events
}

/** Gives the events at about their original pace, `speed` times as fast, after `start` resolves. */
export async function* replay(
  events: readonly SessionEvent[],
  { speed, start }: { readonly speed: number; readonly start: Promise<void> },
): AsyncGenerator<SessionEvent> {
  await start
  for (const event of events) {
    await setTimeout(PAUSES_MS[event.type] / speed)
    yield event
  }
}

/** Streams have no times for deltas. A model takes longer to start a block than to continue it. */
const PAUSES_MS: Readonly<Record<SessionEvent['type'], number>> = {
  'block:upsert': 300,
  'block:delta': 60,
  'block:removed': 100,
  'subagent:spawned': 400,
  'subagent:resumed': 400,
  'subagent:completed': 100,
  'session:running': 0,
  'session:idle': 100,
  'session:updated': 0,
  'usage:reported': 0,
  'todos:updated': 0,
  'branch:abandoned': 0,
}

/** Reads the events of a live pipe as they arrive. */
export async function* follow(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<SessionEvent> {
  const reader = new PipeReader()
  let memory = initialLines
  for await (const chunk of chunks) {
    const decoded = decodeLines(memory, chunk)
    memory = decoded.memory
    yield* reader.take(decoded)
  }
  yield* reader.take(endLines(memory))
  yield* reader.end()
}

interface SourceFold {
  readonly take: (message: unknown) => readonly SessionEvent[]
  readonly end: () => readonly SessionEvent[]
}

/** Buffers messages until one of them shows the program, and then reads all of them with its source. */
class PipeReader {
  readonly #buffered: unknown[] = []
  #source: SourceFold | undefined

  take({ lines }: Pick<DecodedLines, 'lines'>): readonly SessionEvent[] {
    return lines.flatMap(({ message }) => {
      this.#source ??= sourceOf(message)
      this.#buffered.push(message)
      return this.#source ? this.#buffered.splice(0).flatMap(this.#source.take) : []
    })
  }

  end(): readonly SessionEvent[] {
    if (!this.#source) throw new Error('the pipe is not a session of Claude Code or OpenCode')
    return this.#source.end()
  }
}

function sourceOf(message: unknown): SourceFold | undefined {
  const architecture = detectArchitecture(JSON.stringify(message))
  if (!architecture) return undefined
  return architecture === 'claude-sdk' ? foldOf(claudeSource) : foldOf(opencodeSource)
}

function foldOf<Memory>(source: Source<Memory>): SourceFold {
  let memory = source.initial
  return {
    take: (message) => {
      const translated = source.translate(memory, message)
      memory = translated.memory
      return translated.events
    },
    end: () => source.end(memory).events,
  }
}
