import { isEqual } from '../../core/json/equal.ts'
import { asObject } from '../../core/json/values.ts'
import { type ConversationBlock, isModelText } from '../../core/state/block.ts'
import type { FileChange } from '../../core/state/file-change.ts'
import { claudeCode } from '../claude-code/program.ts'
import {
  type BlockPair,
  type Coverage,
  type ExclusionRule,
  MERGED_WORK,
  PROGRAM_NOTES,
  PROMPTS,
  STOPPED_TEXTS,
  SUBAGENT_CONVERSATIONS,
  SUBAGENT_PROMPTS,
  type UnmatchedBlock,
} from '../coverage.ts'

/** Blocks that each agent shows, stores and replays in its own way. */
const OWN_WAYS: readonly ExclusionRule[] = [
  STOPPED_TEXTS,
  PROMPTS,
  { kind: 'system-note', side: 'both', applies: ({ block }) => block.type === 'system' },
  { ...PROGRAM_NOTES, side: 'both' },
  { kind: 'program-note', side: 'both', applies: ({ block }) => block.type === 'skill_load' },
  { kind: 'request', side: 'both', applies: ({ block }) => block.type === 'request' },
  { kind: 'turn-failure', side: 'both', applies: ({ block }) => block.type === 'error' },
]

/** A replay against the stream. */
const OF_REPLAY: readonly ExclusionRule[] = [
  ...OWN_WAYS,
  {
    kind: 'before-compaction',
    side: 'live',
    applies: ({ isMain, other }) => isMain && other.beginsWithSummary,
  },
  // The stable protocol replays the calls of main alone.
  { kind: 'subagent-conversation', side: 'live', applies: ({ isMain }) => !isMain },
  SUBAGENT_CONVERSATIONS,
]

/** The files of the agent's program against the stream. */
const OF_FILES: readonly ExclusionRule[] = [
  ...OWN_WAYS,
  // A provider may hide the thinking, and an agent may not send it.
  {
    kind: 'thinking',
    side: 'stored',
    applies: ({ block, other }) =>
      block.type === 'thinking' && (block.redacted === true || !other.hasThinking),
  },
  { kind: 'internal-call', side: 'stored', applies: isInternal },
  MERGED_WORK,
  SUBAGENT_CONVERSATIONS,
  SUBAGENT_PROMPTS,
  { kind: 'subagent-text', side: 'stored', applies: ({ block, isMain }) => !isMain && isModelText(block) },
]

/** The facts that a connection of ACP carries, and its replay. */
export const acpCoverage: Coverage = {
  exclusions: OF_REPLAY,
  callsArriveAsTheyFinish: () => true,
  timesEveryCall: false,
  unknownFields: fieldsOfReplay,
  agentFacts: ['name', 'description', 'prompt', 'output', 'agentId', 'todos'],
  ownFacts: ['cost', 'model', 'todos', 'outcome'],
  storesMainOnly: true,
}

/** The facts that a connection of ACP carries, and the files that the program stores in its own format. */
export const acpFilesCoverage: Coverage = {
  exclusions: OF_FILES,
  callsArriveAsTheyFinish: () => true,
  timesEveryCall: false,
  unknownFields: fieldsOfFiles,
  agentFacts: ['name', 'agentType', 'description', 'prompt', 'output', 'agentId', 'todos'],
  ownFacts: ['cost', 'model', 'program', 'todos'],
  alignsByContent: true,
}

/** Whether the call is none that a client gets: a change of the plan, a script, or a call of an unknown tool. */
function isInternal({ call, other }: UnmatchedBlock): boolean {
  if (!call || other.callIds.has(call.toolUseId)) return false
  // An agent may show its plan, and not the calls that write it.
  return claudeCode.tools.todo?.includes(call.toolName) || call.status === 'error' || call.toolName === 'exec'
}

/** A replay has the whole output of a command, and the stream may lack its beginning. */
function fieldsOfReplay({ live, stored }: BlockPair): readonly string[] {
  if (live.type === 'system') return ['message', 'data']
  return isPartOfOutput(live, stored) || isPartOfOutput(stored, live) ? ['output'] : []
}

/** Returns the fields of a block that the client does not get, or gets in words for its own display. */
function fieldsOfFiles({ live, stored }: BlockPair): readonly string[] {
  const lacking = Object.keys(stored).filter((name) => Reflect.get(live, name) === undefined)
  switch (live.type) {
    case 'system':
      return [...lacking, 'message', 'data']
    case 'request':
      return [...lacking, 'options', 'answer', 'denied', 'comment', 'kind', 'questions']
    case 'tool_use':
      return [...lacking, ...fieldsOfCall(live, stored)]
    case 'tool_result':
      return [...lacking, ...fieldsOfResult(live, stored)]
    default:
      return lacking
  }
}

/** The names that stand for a tool which the agent does not name: the kinds of the protocol, and the command of Codex. */
const STAND_INS: ReadonlySet<string> = /* @__PURE__ */ new Set(
  'read edit delete move search execute think fetch switch_mode other exec_command'.split(' '),
)

function fieldsOfCall(
  live: ConversationBlock & { type: 'tool_use' },
  stored: ConversationBlock,
): readonly string[] {
  if (stored.type !== 'tool_use') return []
  const { cwd, ...input } = asObject(live.input)
  const isShown = 'title' in input || 'locations' in input || 'changes' in input
  return [
    ...(STAND_INS.has(live.toolName) ? ['toolName'] : []),
    ...(isShown || isEqual(input, stored.input) ? ['input'] : []),
  ]
}

function fieldsOfResult(
  live: ConversationBlock & { type: 'tool_result' },
  stored: ConversationBlock,
): readonly string[] {
  if (stored.type !== 'tool_result') return []
  return [
    ...(haveSameCounts(live.changes, stored.changes) ? ['changes'] : []),
    ...(isPartOfOutput(live, stored) ? ['output'] : []),
  ]
}

/** A diff for the client has other lines around the changed ones. It names a moved file by its new path alone. */
function haveSameCounts(
  live: readonly FileChange[] | undefined,
  stored: readonly FileChange[] | undefined,
): boolean {
  const counts = (changes: readonly FileChange[] = []) =>
    changes.map(({ path, added, removed }) => JSON.stringify([path, added, removed])).sort()
  return isEqual(counts(live), counts(stored))
}

function isPartOfOutput(part: ConversationBlock, whole: ConversationBlock): boolean {
  if (part.type !== 'tool_result' || whole.type !== 'tool_result') return false
  const [left, right] = [part.output, whole.output]
  return typeof left === 'string' && typeof right === 'string' && left !== right && right.endsWith(left)
}

/** A server may send any part of a session, in texts of its own, so two streams have to agree in all they both have. */
export const agUiCoverage: Coverage = {
  exclusions: [SUBAGENT_CONVERSATIONS],
  callsArriveAsTheyFinish: () => true,
  timesEveryCall: false,
}
