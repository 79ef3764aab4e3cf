import type { EventOf, SessionEvent } from '../../core/events/event.ts'
import type { JsonValue } from '../../core/json/values.ts'
import { reduceSessionEvents } from '../../core/reducer/reduce.ts'
import { hasPendingRequest } from '../../core/selectors/requests.ts'
import { isOpenBlock, type SessionConversationState, type SubagentState } from '../../core/state/session.ts'
import type { ArchitectureName } from '../../programs/program.ts'
import { requestIdsAfterOutput } from '../../wires/answer-request.ts'
import { withdrawal } from './answered-request.ts'
import { textOfError } from './hub-error.ts'

/** The output of a program. */
export type PipeInput = AsyncIterable<unknown> | Iterable<unknown> | ReadableStream<unknown>

/** The options of `pipe`. */
export interface PipeOptions {
  /** The wire of the output. By default the hub detects it. */
  readonly architecture?: ArchitectureName
  /**
   * The result of `saveReader`. `pipe` rejects with a `LogError` (`wrong-seq`, or `lost-events` for another log) if the
   * log has other events.
   */
  readonly saved?: SavedReader
  /**
   * Why the program has failed, if it has: it is no command, or its exit code is not 0. Undefined otherwise. A turn that
   * had not ended by itself is then `failed` with these words. So is a session without output, with a prompt that got no
   * answer, or with agents that ran. The pipe waits for it at the end of the output. A promise that rejects has failed
   * with the words of its error, and so has an output that breaks.
   */
  readonly failure?: PromiseLike<string | undefined>
}

/** A reader that goes on with the output of a program, as JSON. */
export interface SavedReader {
  /** The log's name. */
  readonly epoch: string
  /** The number of the last event that the reader has published. */
  readonly seq: number
  readonly session: JsonValue
}

/** Whether the value is an output, and no stream that has a reader. */
export function isReadable(value: unknown): value is PipeInput {
  if (typeof value !== 'object' || value === null) return false
  if ('getReader' in value) return !('locked' in value && value.locked)
  return Symbol.asyncIterator in value || Symbol.iterator in value
}

/** The next piece of an output. At the end, the value is the reason why the output broke off, if it did. */
type Piece = IteratorResult<unknown, string | undefined>

/**
 * An output that is read from the tick of its creation on, one piece ahead. Node drops the output of a process that ends
 * before anybody reads it.
 */
export class PipeOutput {
  readonly #pieces: AsyncGenerator<unknown, undefined>
  #first: Promise<Piece> | undefined

  constructor(readable: PipeInput) {
    // Not every browser can iterate over a stream.
    this.#pieces = 'getReader' in readable ? chunksIn(readable.getReader()) : itemsOf(readable)
    this.#first = this.#take()
  }

  next(): Promise<Piece> {
    const piece = this.#first ?? this.#take()
    this.#first = undefined
    return piece
  }

  /** Ends the output before its end. */
  async return(): Promise<void> {
    await this.#pieces.return(undefined).catch(() => {})
  }

  #take(): Promise<Piece> {
    return this.#pieces.next().catch((reason: unknown) => {
      return { done: true, value: `the output broke off: ${textOfError(reason)}` }
    })
  }
}

async function* itemsOf(
  items: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator<unknown, undefined> {
  yield* items
  return undefined
}

async function* chunksIn(reader: ReadableStreamDefaultReader<unknown>): AsyncGenerator<unknown, undefined> {
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    await reader.cancel().catch(() => {})
  }
  return undefined
}

export type Removals = readonly EventOf<'block:removed'>[]

interface Leftovers {
  readonly events: readonly SessionEvent[]
  readonly removals: Removals
}

export const NO_LEFTOVERS: Leftovers = { events: [], removals: [] }

/**
 * Returns the events for the requests of an earlier output, whose program takes no answer any more. `events` end what a
 * killed server has left, and keep the ids that the next process counts again. `removals` come with the first events of
 * the output: a program that lives on may ask again.
 */
export function leftoversIn(before: SessionConversationState): Leftovers {
  const ids = requestIdsAfterOutput(before)
  if (ids === 'open') return NO_LEFTOVERS
  const ends = hasPendingRequest(before) ? interruptions(before) : []
  const state = reduceSessionEvents(before, ends)
  const open = [state, ...state.subagents].flatMap((thread) =>
    thread.blocks.flatMap((block) => (block.type === 'request' && isOpenBlock(block, thread) ? block : [])),
  )
  if (ids === 'taken') return { events: [...ends, ...open.map(withdrawal)], removals: [] }
  const removals = open.map(
    ({ conversationId, id: blockId }) => ({ type: 'block:removed', conversationId, blockId }) as const,
  )
  return { events: ends, removals }
}

/** The end of an output, as its source and its host know it. */
interface OutputEnd {
  /** The events of the source. */
  readonly events: readonly SessionEvent[]
  /** Why the program has failed, if it has. */
  readonly error: string | undefined
  /** Whether the output had no events, or none since the last prompt. */
  readonly isSilent: boolean
}

/**
 * Returns the last events of an output. After it nothing runs or waits, also if the source does not know what does: the
 * events may be a host's own. The turn has ended by itself only if the output says so: a source takes the end of an output
 * for that of a turn whose newest text is whole. An output without events says nothing of the turn.
 */
export function endingEvents(
  before: SessionConversationState,
  { events, error, isSilent }: OutputEnd,
): readonly SessionEvent[] {
  const isMainEnd = (event: SessionEvent) =>
    event.type === 'session:idle' && event.conversationId === undefined && event.outcome !== 'failed'
  const { status } = before.turn
  const hasAgents = before.subagents.some((agent) => agent.status === 'running')
  const hasEnded = status === 'failed' || (status === 'finished' && !hasAgents)
  const isByItself = !isSilent && (error === undefined || hasEnded)
  const own = isByItself ? events : events.filter((event) => !isMainEnd(event))
  const all = [...own, ...interruptions(reduceSessionEvents(before, own))]
  const hasFailed = reduceSessionEvents(before, all).turn.status === 'failed'
  if (error === undefined || isByItself || (hasFailed && !isSilent)) return all
  const failed = { outcome: 'failed', error } as const
  // A cut keeps the open blocks: the next output of the program may go on with them.
  if (all.some(isCutOfMain)) return all.map((event) => (isCutOfMain(event) ? { ...event, ...failed } : event))
  return [...all, { type: 'session:idle', ...failed }]
}

/** Returns the events that end what still runs or waits: a program whose output has ended takes no answer. */
function interruptions(state: SessionConversationState): readonly SessionEvent[] {
  // Nobody starts an agent that its call only announced.
  const isOpen = ({ status }: SubagentState) => status === 'running' || status === 'pending'
  const agents = state.subagents.filter(isOpen)
  const others = state.subagents.filter(
    (agent) => !isOpen(agent) && agent.blocks.some((block) => block.status === 'pending'),
  )
  return [
    ...agents.map(
      ({ toolUseId }) => ({ type: 'subagent:completed', toolUseId, status: 'error', cut: true }) as const,
    ),
    ...others.map(({ toolUseId }) => ({ type: 'session:idle', conversationId: toolUseId }) as const),
    ...(state.turn.status === 'running'
      ? [{ type: 'session:idle', outcome: 'interrupted', cut: true } as const]
      : []),
  ]
}

export function isCutOfMain(event: SessionEvent): event is EventOf<'session:idle'> {
  return event.type === 'session:idle' && event.cut === true && event.conversationId === undefined
}
