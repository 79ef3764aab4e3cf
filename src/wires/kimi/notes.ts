import type { ConversationBlock } from '../../core/state/block.ts'
import { MAIN } from '../../core/state/session.ts'
import { TranslationContext } from '../../reading/context.ts'
import { type TypedShape, typedShape } from '../../reading/notes/note-shape.ts'
import { declareNotes, type NotesDeclaration, type NotesOf } from '../../reading/notes/notes.ts'
import { SEEN_LINES } from '../kit/lines.ts'
import { RESUMED_PLACE, type ResumedPlace } from '../kit/resumed-text.ts'
import { RENAMED_CALLS } from '../kit/reused-ids.ts'
import type { KimiEvent } from './messages.ts'
import { WaitingAgents } from './waiting.ts'

const EVENT: TypedShape<KimiEvent> = /* @__PURE__ */ typedShape<KimiEvent>({
  fields: {
    type: 'string',
    agentId: 'string',
    'sessionId?': 'string',
    'time?': 'string',
    fields: 'JSON object',
    'offset?': 'finite number',
  },
})

// A note by conversation has `'main'` or the `toolUseId` of an agent as its key.
const FIELDS = {
  renamedCalls: RENAMED_CALLS,
  /** The last events were the server's. A file that ends with an open request waits for the person. */
  isLive: 'boolean',
  /** The events that came before the agent was linked to its call, by agent. */
  buffered: { mapOf: { bufferOf: EVENT } },
  /**
   * By conversation: the step that writes the next deltas, or that ended last, and its time. A step without a text is
   * in no state (`isResumed`).
   */
  steps: { mapOf: { fields: { id: 'string', 'time?': 'string', 'isResumed?': 'boolean' } } },
  /** By conversation: the number of the last turn. An end of an earlier turn is a repeated one. */
  turns: { mapOf: 'finite number' },
  /** By number: the block that begins a turn of main. A person takes turns back by their numbers. */
  turnPrompts: { mapOf: 'string' },
  /** The model of the next step, by conversation. */
  models: { mapOf: 'string' },
  /** The server's name for the model of main. The files state the model itself. */
  modelAlias: 'string',
  /** The last deltas without a place, by agent. */
  lastDeltas: { mapOf: SEEN_LINES },
  /** The place in the last text of a state, which deltas without a place may repeat, by conversation. */
  textPlaces: { mapOf: /* @__PURE__ */ typedShape<ResumedPlace>(RESUMED_PLACE) },
  /** The last call that shows the whole file, by path. */
  shownFiles: { mapOf: { fields: { conversationId: 'string', toolUseId: 'string' } } },
  /** Whether a file was there when the program first kept a copy of it, by path. */
  trackedFiles: { mapOf: { oneOf: { new: true, old: true } } },
  /** The place of the next line of `stream-json`: the last call, and the number of the model's messages since. Such a line has no id. */
  streamPlace: { fields: { 'after?': 'string', count: 'finite number' } },
  /** A line has begun a process, and no line of it has shown anything new. Such a line may come again. */
  isNewProcess: 'boolean',
  /**
   * The state has blocks of another form, which lines of `stream-json` may repeat: the last block that one did
   * repeat, or an empty text.
   */
  repeatedTo: 'string',
} as const

/** The facts from earlier messages that no state shows. */
export type KimiNotes = NotesOf<typeof FIELDS>

/** The notes of the source. */
export const NOTES: NotesDeclaration<KimiNotes> = /* @__PURE__ */ declareNotes(
  { source: 'kimi', version: 1 },
  FIELDS,
)

/** The translation of a batch of Kimi Code's messages into session events. */
export class KimiContext extends TranslationContext<KimiNotes> {
  /** The agents that the current message has linked. Events may wait for them. */
  readonly linked: string[] = []
  readonly waiting: WaitingAgents = new WaitingAgents()

  /** Returns the conversation of an agent; undefined if nothing links the agent to a call yet. */
  conversationOf(agentId: string): string | undefined {
    return agentId === MAIN ? MAIN : this.state.findAgent(agentId)?.toolUseId
  }

  /** Returns the last wanted block of a message of the model. */
  lastOfMessage(
    conversationId: string,
    messageId: string,
    isWanted: (block: ConversationBlock) => boolean = () => true,
  ): ConversationBlock | undefined {
    for (const block of this.state.messageFromEnd(conversationId, messageId))
      if (isWanted(block)) return block
    return undefined
  }
}
