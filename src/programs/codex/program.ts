import { isObject, isString } from '../../core/json/values.ts'
import { numberOfId } from '../../core/state/numbered-id.ts'
import {
  type BlockPair,
  type ContentSummary,
  type Coverage,
  type ExclusionRule,
  PROGRAM_NOTES,
  PROMPTS,
  STOPPED_TEXTS,
  SUBAGENT_CONVERSATIONS,
  SUBAGENT_PROMPTS,
  SYSTEM_NOTES,
  type UnmatchedBlock,
} from '../coverage.ts'
import type { Program, ProgramStorage } from '../program.ts'
import { REFUSED } from './command.ts'
import { hasImage } from './mcp.ts'
import {
  COMMAND,
  FILE_CHANGE,
  FOLLOWUP_TASK,
  IMAGE_VIEW,
  INTERRUPT_AGENT,
  isExecId,
  SPAWN_AGENT,
  WEB_SEARCH,
} from './tool-names.ts'

/** Codex. */
export const codex: Program = {
  names: ['codex'],
  adapter: { name: '@agentclientprotocol/codex-acp', metaKeys: ['codex'] },
  wire: 'codex',
  tools: {
    command: [COMMAND, 'exec_command', 'shell', 'local_shell', 'write_stdin', 'exec'],
    read: [IMAGE_VIEW, 'view_image', 'read_file', 'list_dir'],
    edit: [FILE_CHANGE, 'apply_patch'],
    search: ['grep_files'],
    web: [WEB_SEARCH],
    todo: ['update_plan'],
    question: ['request_user_input'],
    agent: [SPAWN_AGENT],
    agentControl: [
      'send_input',
      'close_agent',
      'wait',
      'wait_agent',
      'resume_agent',
      'interrupt_agent',
      'followup_task',
      'send_message',
      'list_agents',
    ],
  },
  fields: {
    command: ['command', 'cmd'],
    path: ['path'],
    prompt: 'message',
    agentType: 'agent_type',
    description: 'task_name',
    resumes: 'target',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: false },
  // A rollout per thread in `sessions/<year>/<month>/<day>/`, and old ones in `archived_sessions/`.
  resumeCommand: ['codex', 'resume'],
}

export const codexStorage: ProgramStorage = {
  folders({ home, variables }) {
    const folder = variables.CODEX_HOME || `${home}/.codex`
    return [
      { path: `${folder}/sessions`, depth: 3 },
      { path: `${folder}/archived_sessions`, depth: 0 },
    ]
  },
}

const EXCLUSIONS: readonly ExclusionRule[] = [
  STOPPED_TEXTS,
  PROMPTS,
  SYSTEM_NOTES,
  // `codex exec` prints no interruption and no compaction.
  {
    kind: 'system-note',
    side: 'stored',
    applies: ({ block, other }) => block.type === 'system' && isShort(other),
  },
  // No file has a request. It has only the result of the call.
  { kind: 'request', side: 'live', applies: ({ block }) => block.type === 'request' },
  // A stream does not have the result of a call that an interruption ended.
  {
    kind: 'unfinished',
    side: 'stored',
    applies: ({ block, other }) => block.type === 'tool_result' && other.callIds.has(block.toolUseId),
  },
  { kind: 'internal-call', side: 'stored', applies: isInternal },
  // The summary of a compaction.
  PROGRAM_NOTES,
  SUBAGENT_CONVERSATIONS,
  // `codex exec` prints no agents of the newer tools.
  {
    kind: 'subagent-conversation',
    side: 'stored',
    applies: ({ block, other }) => block.type === 'subagent' && isShort(other),
  },
  SUBAGENT_PROMPTS,
]

/** The facts that the streams and the files of Codex carry. */
export const codexCoverage: Coverage = {
  exclusions: EXCLUSIONS,
  callsArriveAsTheyFinish: () => true,
  timesEveryCall: false,
  isShort,
  isOwnId: (id) => isExecId(id) || numberOfId(id.slice(id.lastIndexOf('unnamed:'))) !== undefined,
  unknownFields,
  agentFacts: ['name', 'agentType', 'description', 'prompt', 'output'],
}

/** Only `codex exec` prints no prompts. */
function isShort({ hasPrompts }: ContentSummary): boolean {
  return !hasPrompts
}

/** The tools whose calls a client gets as items. */
const ITEM_TOOLS: ReadonlySet<string> = new Set([
  COMMAND,
  FILE_CHANGE,
  WEB_SEARCH,
  'wait_agent',
  'close_agent',
])

/**
 * Whether the call is none that a client gets: a script, a call of an unknown tool, or a patch that does not fit.
 * `codex exec` prints fewer calls than the app-server.
 */
function isInternal({ call, other }: UnmatchedBlock): boolean {
  if (!call || other.callIds.has(call.toolUseId)) return false
  const isItem = ITEM_TOOLS.has(call.toolName) || call.toolName.startsWith('mcp__')
  return !isItem || call.status === 'error'
}

/**
 * Returns the fields that a form does not have: `codex exec` has no diffs, the app-server of some versions lacks the
 * first output of a command, and a stream has no words for a refused call, no prompt of the agents of the newer tools,
 * no nickname of an agent, and no image that the model looks at.
 */
function unknownFields({ live, stored }: BlockPair): readonly string[] {
  if (live.type === 'subagent')
    return [
      ...(live.input === '' ? ['input'] : []),
      ...(live.name === undefined ? ['name', 'agentType'] : []),
      ...(live.description === undefined ? ['description'] : []),
    ]
  // A stream shows what became of the agent, and not the words of such a call.
  if (live.type === 'tool_use' && (live.toolName === INTERRUPT_AGENT || live.toolName === FOLLOWUP_TASK))
    return ['toolName', 'input']
  if (live.type !== 'tool_result' || stored.type !== 'tool_result') return []
  const isWithoutDiffs = live.changes?.every(({ hunks }) => hunks === undefined) === true
  return [
    ...(isWithoutDiffs && stored.changes !== undefined ? ['changes'] : []),
    ...(isPartOf(live.output, stored.output) ||
    live.output === REFUSED ||
    isStates(live.output, stored.output)
      ? ['output']
      : []),
  ]
}

/** Whether the stream has the states of agents in place of the words that the model reads. */
function isStates(live: unknown, stored: unknown): boolean {
  return isObject(live) && isString(stored)
}

function isPartOf(part: unknown, whole: unknown): boolean {
  if (part === '' && hasImage(whole)) return true
  return typeof part === 'string' && typeof whole === 'string' && part !== whole && whole.endsWith(part)
}
