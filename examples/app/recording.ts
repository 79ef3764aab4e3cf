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

/** Reads a recording. Throws an `Error` if it is none. */
export async function readRecording(path: string): Promise<readonly SessionEvent[]> {
  const raw = await readFile(path, 'utf8')
  const architecture = detectArchitecture(raw)
  if (!architecture) throw new Error(`${path}: neither of Claude Code nor of OpenCode`)
  return readTranscript(architecture, raw).events
}

/** Gives the events about as fast as they may have come, `speed` times as fast, once somebody is there to see them. */
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

/** Streams tell no times of deltas, and models take longer to begin a block than to go on with it. */
const PAUSES_MS: Readonly<Record<SessionEvent['type'], number>> = {
  'block:upsert': 300,
  'block:delta': 60,
  'block:removed': 100,
  'subagent:spawned': 400,
  'subagent:resumed': 400,
  'subagent:completed': 100,
  'session:idle': 100,
  'session:updated': 0,
  'usage:reported': 0,
}

/** Reads the events of a live pipe as they come. */
export async function* follow(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<SessionEvent> {
  const follower = new Follower()
  let memory = initialLines
  for await (const chunk of chunks) {
    const decoded = decodeLines(memory, chunk)
    memory = decoded.memory
    yield* follower.take(decoded)
  }
  yield* follower.take(endLines(memory))
  yield* follower.end()
}

interface Follow {
  readonly take: (message: unknown) => readonly SessionEvent[]
  readonly end: () => readonly SessionEvent[]
}

/** The first line that tells which program it is also says how those before it are read. */
class Follower {
  readonly #waiting: unknown[] = []
  #source: Follow | undefined

  take({ lines }: Pick<DecodedLines, 'lines'>): readonly SessionEvent[] {
    return lines.flatMap(({ message }) => {
      this.#source ??= sourceOf(message)
      this.#waiting.push(message)
      return this.#source ? this.#waiting.splice(0).flatMap(this.#source.take) : []
    })
  }

  end(): readonly SessionEvent[] {
    if (!this.#source) throw new Error('the pipe is neither of Claude Code nor of OpenCode')
    return this.#source.end()
  }
}

function sourceOf(message: unknown): Follow | undefined {
  const architecture = detectArchitecture(JSON.stringify(message))
  if (!architecture) return undefined
  return architecture === 'claude-sdk' ? following(claudeSource) : following(opencodeSource)
}

function following<Memory>(source: Source<Memory>): Follow {
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
