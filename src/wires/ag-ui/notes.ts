import { declareNotes, type NotesDeclaration, type NotesOf } from '../../reading/notes/notes.ts'

const FIELDS = {
  /** The run that is open. No event of a session names a run. A repeated one has ended before, and its events come again. */
  run: { fields: { id: 'string', 'isRepeated?': 'boolean' } },
  /** The ids of the runs that have ended. A state has no list of them. The id is empty if the stream has not named the run. */
  endedRuns: { setOf: 'string' },
  /**
   * The open stream of chunks of each conversation. A pending block does not show that chunks build it. Later chunks
   * may leave the id out.
   */
  lanes: {
    mapOf: { fields: { kind: { oneOf: { text: true, thinking: true, call: true } }, streamId: 'string' } },
  },
  /**
   * The number of UTF-16 units that have come again, by conversation and block: of a text that began once more, or of
   * a final text that goes on at its end. A pending text without an entry goes on at its end.
   */
  repeats: { mapOf: { mapOf: 'finite number' } },
  /** The arguments of a call, while they stream, by the `toolUseId` of an agent that has started before. Its block takes none then. */
  agentArguments: { mapOf: 'string' },
  /** The run in which an agent started last, until both have ended. A running agent may have a call alone, whose output ends it. */
  starts: { mapOf: 'string' },
  /** The suspended agents, which go on in a later run. In a state they run. */
  suspended: { setOf: 'string' },
  /** The blocks of open requests that only a run's interrupts show, by the id of the interrupt. Those of activities look the same. */
  interrupts: { mapOf: { fields: { conversationId: 'string', id: 'string' } } },
  /** The shared state. An application puts anything into it. */
  shared: 'JSON value',
  /** The own ids of the agents in the shared state that the stream has not shown yet, by their `toolUseId`. */
  agentIds: { mapOf: 'string' },
  /** The number of reasoning messages without an id. */
  unnamed: 'finite number',
} as const

/** The facts from earlier events that no state shows. */
export type AgUiNotes = NotesOf<typeof FIELDS>

/** The notes of the source. */
export const NOTES: NotesDeclaration<AgUiNotes> = /* @__PURE__ */ declareNotes(
  { source: 'ag-ui', version: 4 },
  FIELDS,
)
