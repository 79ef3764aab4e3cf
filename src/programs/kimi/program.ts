import {
  type BlockPair,
  type ContentSummary,
  type Coverage,
  type ExclusionRule,
  PROMPTS,
  STOPPED_TEXTS,
  SUBAGENT_CONVERSATIONS,
  SYSTEM_NOTES,
  type UnmatchedBlock,
} from '../coverage.ts'
import type { Program, ProgramStorage } from '../program.ts'

/** The tool that starts an agent, or resumes one. */
export const AGENT = 'Agent'

/** The tool that starts or resumes several agents at once. */
export const AGENT_SWARM = 'AgentSwarm'

/** Kimi Code. */
export const kimi: Program = {
  names: ['kimi', 'Kimi Code CLI', 'kimi-code'],
  wire: 'kimi',
  tools: {
    command: ['Bash', 'TaskOutput', 'WaitFor'],
    read: ['Read', 'ReadMediaFile'],
    edit: ['Edit', 'Write'],
    search: ['Grep', 'Glob'],
    web: ['WebSearch', 'FetchURL'],
    todo: ['TodoList'],
    planMode: ['EnterPlanMode', 'ExitPlanMode'],
    question: ['AskUserQuestion'],
    agent: [AGENT],
    agentControl: [AGENT_SWARM, 'TaskList', 'TaskStop'],
  },
  fields: {
    command: ['command'],
    path: ['path'],
    prompt: 'prompt',
    agentType: 'subagent_type',
    description: 'description',
    resumes: 'resume',
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: false },
  resumeCommand: ['kimi', '--session'],
  // `sessions/<workspace>/<session>/agents/main/wire.jsonl`
}

export const kimiStorage: ProgramStorage = {
  isPrivate: true,
  folders: ({ home, variables }) => [
    { path: `${variables.KIMI_CODE_HOME || `${home}/.kimi-code`}/sessions`, depth: 4 },
  ],
}

/** Content that lines lack. */
function lackedByLines(kind: ExclusionRule['kind'], types: readonly string[]): ExclusionRule {
  const applies = ({ block, other }: UnmatchedBlock) => isShort(other) && types.includes(block.type)
  return { kind, side: 'stored', applies }
}

const EXCLUSIONS: readonly ExclusionRule[] = [
  // The text of a step is stored when the step ends. Lines have no text that was cut.
  { ...STOPPED_TEXTS, side: 'both' },
  PROMPTS,
  SYSTEM_NOTES,
  lackedByLines('thinking', ['thinking']),
  lackedByLines('request', ['request']),
  lackedByLines('turn-failure', ['error', 'system']),
  lackedByLines('program-note', ['skill_load', 'user_message']),
  SUBAGENT_CONVERSATIONS,
]

/** The facts that the streams and the files of Kimi Code carry. */
export const kimiCoverage: Coverage = {
  exclusions: EXCLUSIONS,
  callsArriveAsTheyFinish: () => false,
  timesEveryCall: false,
  isShort,
  isOwnId: (id) => id.startsWith('line:'),
  unknownFields,
  agentFacts: ['name', 'description', 'prompt', 'output', 'agentId'],
  lacksTokensOfStopped: true,
  // No line says how a turn has failed.
  ownFacts: ['model', 'outcome'],
}

/** Only `stream-json` has no prompts. */
function isShort({ hasPrompts }: ContentSummary): boolean {
  return !hasPrompts
}

/** Lines have no times. They do not say which results are errors, where files are, or what a background agent reports. */
function unknownFields({ live, stored }: BlockPair): readonly string[] {
  if (live.timestamp !== undefined) return []
  switch (live.type) {
    case 'subagent':
      return ['messageId', ...AGENT_FACTS.filter((name) => live[name] === undefined)]
    case 'tool_use':
      return ['messageId', 'status']
    case 'tool_result': {
      const isUnknownTool = stored.type === 'tool_result' && /^unknown tool: /.test(String(stored.output))
      return ['status', 'isError', 'changes', 'exitCode', ...(isUnknownTool ? ['output'] : [])]
    }
    default:
      return []
  }
}

const AGENT_FACTS = ['output', 'description', 'name', 'agentId'] as const
