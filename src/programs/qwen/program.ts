import { isModelText } from '../../core/state/block.ts'
import { numberOfId } from '../../core/state/numbered-id.ts'
import {
  type BlockPair,
  type Coverage,
  type ExclusionRule,
  isOtherCall,
  PROGRAM_NOTES,
  PROMPTS,
  STOPPED_TEXTS,
  SUBAGENT_CONVERSATIONS,
  SYSTEM_NOTES,
} from '../coverage.ts'
import type { Program, ProgramStorage } from '../program.ts'

/** Qwen Code. */
export const qwen: Program = {
  names: ['qwen', 'qwen-code'],
  wire: 'qwen',
  tools: {
    command: ['run_shell_command', 'monitor'],
    read: ['read_file', 'read_many_files', 'list_directory', 'zoom_image', 'read_mcp_resource'],
    edit: ['write_file', 'edit', 'replace', 'notebook_edit'],
    search: ['grep_search', 'search_file_content', 'glob', 'tool_search'],
    web: ['web_fetch', 'web_search'],
    todo: ['todo_write'],
    planMode: ['exit_plan_mode', 'enter_plan_mode'],
    question: ['ask_user_question'],
    agent: ['agent', 'task'],
    agentControl: ['send_message', 'task_stop', 'list_agents'],
  },
  fields: {
    command: ['command'],
    path: ['file_path', 'absolute_path', 'path'],
    prompt: 'prompt',
    agentType: 'subagent_type',
    description: 'description',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: false },
  resumeCommand: ['qwen', '--resume'],
}

export const qwenStorage: ProgramStorage = {
  folders: ({ home, variables: { QWEN_RUNTIME_DIR, QWEN_HOME } }) => [
    { path: `${QWEN_RUNTIME_DIR || QWEN_HOME || `${home}/.qwen`}/projects`, depth: 2 },
  ],
}

const EXCLUSIONS: readonly ExclusionRule[] = [
  PROMPTS,
  // The program may be killed before it writes a reply, or the result of a call.
  STOPPED_TEXTS,
  { kind: 'unfinished', side: 'live', applies: ({ block, other }) => isOtherCall(block, other.callIds) },
  { kind: 'turn-failure', side: 'both', applies: ({ block }) => block.type === 'error' },
  // The stream has the prompt of an agent, and its calls if it works in the foreground.
  {
    kind: 'subagent-text',
    side: 'stored',
    applies: ({ block, isMain }) => !isMain && (isModelText(block) || isOtherCall(block, NOTHING)),
  },
  { kind: 'request', side: 'both', applies: ({ block }) => block.type === 'request' },
  { ...PROGRAM_NOTES, side: 'both' },
  SYSTEM_NOTES,
  // Version 0.15 stores no agents.
  { ...SUBAGENT_CONVERSATIONS, side: 'both' },
]

const NOTHING: ReadonlySet<string> = new Set()

/** The facts that the stream and the files of Qwen Code carry. */
export const qwenCoverage: Coverage = {
  exclusions: EXCLUSIONS,
  callsArriveAsTheyFinish: () => false,
  timesEveryCall: false,
  isOwnId: (id) => numberOfId(id) !== undefined || id.startsWith('start:'),
  unknownFields,
  agentFacts: ['agentId', 'name', 'description', 'output', 'durationMs'],
  // A report of the stream on an agent in the background does not have its words.
  ownAgentFacts: ['status', 'output', 'durationMs'],
  ownFacts: ['outcome'],
}

/** Returns the fields that each form states in its own way. The stream has no times, outputs for the screen, and no diffs. */
function unknownFields({ live }: BlockPair): readonly string[] {
  if (live.type === 'tool_result') return ['timestamp', 'output', 'exitCode', 'changes', 'durationMs']
  // The stream has the options that the person had, and the reason of a refusal.
  if (live.type === 'request') return ['timestamp', 'options', 'comment']
  return live.type === 'subagent'
    ? ['timestamp', 'messageId', 'agentId', 'name', 'description', 'output', 'status', 'durationMs']
    : ['timestamp', 'messageId']
}
