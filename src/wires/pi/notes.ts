import type { JsonObject } from '../../core/json/values.ts'
import { type OpenSession, TranslationContext } from '../../reading/context.ts'
import { declareNotes, type NotesDeclaration, type NotesOf } from '../../reading/notes/notes.ts'
import { RENAMED_CALLS } from '../kit/reused-ids.ts'
import type { PiMessage } from './messages.ts'

const FIELDS = {
  renamedCalls: RENAMED_CALLS,
  /** The reply of main that streams. Its deltas do not name it. */
  streaming: { fields: { id: 'string', 'time?': 'string', 'model?': 'string' } },
  /** The calls of that reply, by their place in its content. */
  streamedCalls: { mapOf: 'string' },
  /** The call whose tool started last, while it runs. A request of an extension does not name its call. */
  startedCall: 'string',
  /** The open request that has started the turn: an extension asks between two turns. */
  dialog: 'string',
  /** The number of messages of an agent that the results of its call have shown. Each result repeats all of them. */
  readMessages: { mapOf: 'finite number' },
  /** The entries of files, with the entry above and the blocks of each. The id of no entry is empty. */
  entries: { mapOf: { fields: { parent: 'string', 'blocks?': { listOf: 'string' } } } },
  /** The entry at which the conversation goes on. */
  leaf: 'string',
  /** The last message of main. It is the place of a command that the person runs. */
  lastMessage: { fields: { id: 'string', isLive: 'boolean' } },
  /** The commands of the person that run, by the id of the client's request. */
  commands: { mapOf: 'string' },
  /** The commands that have ended, by the client's request. A message may come twice. */
  doneCommands: { setOf: 'string' },
  /** The client of a connection has gone to another session. */
  isElsewhere: 'boolean',
  /** The call of the agent, if the agent has another id, by the id in an agent's file. */
  agentFiles: { mapOf: 'string' },
  /** The lines of agents whose calls have not named them yet. */
  waiting: { mapOf: { bufferOf: 'JSON object' } },
} as const

/** The facts from earlier lines that no state shows. */
type PiNotes = NotesOf<typeof FIELDS>

/** The notes of the source. */
export const NOTES: NotesDeclaration<PiNotes> = /* @__PURE__ */ declareNotes(
  { source: 'pi', version: 2 },
  FIELDS,
)

/** The translation of one message and of one line. */
interface PiRules {
  readonly message: (conversationId: string, message: PiMessage, context: PiContext) => void
  readonly line: (raw: JsonObject, context: PiContext) => void
}

/** The translation of a batch of Pi's lines into session events. */
export class PiContext extends TranslationContext<PiNotes> {
  /** The rules for parts that hold further messages: the result of a call has those of its agents. */
  readonly rules: PiRules

  constructor(session: OpenSession<PiNotes>, rules: PiRules) {
    super(session)
    this.rules = rules
  }

  /** Whether a reply has come whole before: its tokens are final, or a note or an error shows how it ended. */
  isRead(conversationId: string, messageId: string): boolean {
    return (
      this.state.usageOf(conversationId, messageId)?.final === true ||
      this.state.findBlock(conversationId, interruptionId(messageId)) !== undefined ||
      this.state.findBlock(conversationId, errorId(messageId)) !== undefined ||
      this.state.isAbandoned(messageId)
    )
  }
}

/** Returns the id of the error that a reply ended with. */
export function errorId(messageId: string): string {
  return `${messageId}:error`
}

/** Returns the id of the note that the person stopped the reply. */
export function interruptionId(messageId: string): string {
  return `${messageId}:interruption`
}
