import { type ConversationBlock, isModelText } from '../../core/state/block.ts'
import {
  type Coverage,
  type ExclusionRule,
  PROMPTS,
  SUBAGENT_CONVERSATIONS,
  SUBAGENT_PROMPTS,
  SYSTEM_NOTES,
  sharedIds,
} from '../coverage.ts'
import type { Program, ProgramStorage } from '../program.ts'
import { isKilledCallText, textsIn } from './texts.ts'

/** The program's name for itself. No line states it. */
export const CLAUDE_CODE = 'claude-code'

/** Claude Code and the Claude Agent SDK. */
export const claudeCode: Program = {
  names: [CLAUDE_CODE],
  adapter: { name: '@agentclientprotocol/claude-agent-acp', metaKeys: ['claudeCode', '_claude/'] },
  wire: 'claude-sdk',
  tools: {
    command: ['Bash', 'BashOutput', 'PowerShell', 'KillShell', 'KillBash', 'Monitor'],
    read: ['Read', 'NotebookRead', 'LS', 'ReadMcpResource'],
    edit: ['Edit', 'Write', 'MultiEdit', 'NotebookEdit'],
    search: ['Grep', 'Glob', 'ToolSearch', 'LSP'],
    web: ['WebFetch', 'WebSearch'],
    todo: ['TodoWrite', 'TodoRead', 'TaskCreate', 'TaskUpdate', 'TaskList', 'TaskGet'],
    planMode: ['EnterPlanMode', 'ExitPlanMode'],
    question: ['AskUserQuestion'],
    // `Task` is the name up to 2.1.0. Later versions accept it as an alias.
    agent: ['Agent', 'Task'],
    agentControl: ['SendMessage', 'TaskOutput', 'TaskStop', 'AgentOutput', 'ListAgents'],
  },
  fields: {
    command: ['command'],
    path: ['file_path', 'notebook_path', 'path'],
    prompt: 'prompt',
    agentType: 'subagent_type',
    description: 'description',
    resumes: 'resume',
  },
  firstMessages: { startProvedBy: 'call', canBeEmpty: true, textNeedsUsage: false, isEndedByNext: true },
  // A folder per project, with one file per session.
  resumeCommand: ['claude', '--resume'],
}

export const claudeCodeStorage: ProgramStorage = {
  isPrivate: true,
  folders: ({ home, variables }) => [
    { path: `${variables.CLAUDE_CONFIG_DIR || `${home}/.claude`}/projects`, depth: 1 },
  ],
}

/** Whether a version of the program is that one or a later one. An unknown version is none. */
export function isAtLeast(version: string | undefined, least: readonly [number, number, number]): boolean {
  const parts = (version ?? '').split('.').map((part) => Number.parseInt(part, 10))
  for (const [at, own] of least.entries()) {
    const part = parts[at] ?? Number.NaN
    if (part !== own) return part > own
  }
  return true
}

const MAX_LENGTH = 200

/** Returns the name of the folder in which the program keeps the sessions of a working folder. */
export function projectFolder(cwd: string): string {
  const name = cwd.replace(/[^a-zA-Z0-9]/g, '-')
  if (name.length <= MAX_LENGTH) return name
  return `${name.slice(0, MAX_LENGTH)}-${Math.abs(hashOf(cwd)).toString(36)}`
}

/** The program's own hash, of 32 bits. */
function hashOf(text: string): number {
  let hash = 0
  for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0
  return hash
}

const EXCLUSIONS: readonly ExclusionRule[] = [
  {
    kind: 'interrupted-text',
    side: 'live',
    applies: ({ block, isCut }) => isCut && (isModelText(block) || isHalfCall(block)),
  },
  { kind: 'unfinished', side: 'stored', applies: ({ block }) => isResultOfKill(block) },
  PROMPTS,
  { kind: 'program-note', side: 'both', applies: ({ block }) => isProgramNote(block) },
  // Only files have the text of a skill.
  { kind: 'program-note', side: 'stored', applies: ({ block }) => block.type === 'skill_load' },
  SYSTEM_NOTES,
  { kind: 'request', side: 'live', applies: ({ block, version }) => isUnstoredRequest(block, version) },
  {
    kind: 'turn-failure',
    side: 'live',
    applies: ({ block }) => block.type === 'error' && block.code?.startsWith('error_') === true,
  },
  SUBAGENT_CONVERSATIONS,
  // Versions 1.x write a subagent's lines only when it has finished.
  {
    kind: 'killed-subagent',
    side: 'live',
    applies: ({ isMain, other, version }) => !isMain && !other.hasBlocks && version.startsWith('1.'),
  },
  SUBAGENT_PROMPTS,
  {
    kind: 'fork-context',
    side: 'stored',
    applies: ({ block, parentIds }) => sharedIds(block).some((id) => parentIds.has(id)),
  },
  {
    kind: 'subagent-text',
    side: 'stored',
    applies: ({ block, isMain, isUnforwarded }) =>
      !isMain && isUnforwarded && (isModelText(block) || block.type === 'error'),
  },
]

/** The facts that the stream and the files of Claude Code carry. */
export const claudeCoverage: Coverage = {
  exclusions: EXCLUSIONS,
  callsArriveAsTheyFinish: () => false,
  timesEveryCall: false,
}

/** Whether the input of the call is not whole. */
function isHalfCall(block: ConversationBlock): boolean {
  return block.type === 'tool_use' && block.inputText !== undefined
}

function isResultOfKill(block: ConversationBlock): boolean {
  return block.type === 'tool_result' && textsIn(block.output).some(isKilledCallText)
}

function isProgramNote(block: ConversationBlock): boolean {
  return block.type === 'user_message' && block.origin !== undefined && block.origin !== 'summary'
}

/** Files have a request only if the line of the call's result states the decision. A stop refuses a call without a decision. */
function isUnstoredRequest(block: ConversationBlock, version: string): boolean {
  if (block.type !== 'request') return false
  const isWithoutDecision =
    block.answer === undefined || (block.denied === true && block.comment === undefined)
  // The files of 2.1.237 have no decisions about calls, and those of 2.1.318 have them.
  return isWithoutDecision || !isAtLeast(version, [2, 1, 318])
}
