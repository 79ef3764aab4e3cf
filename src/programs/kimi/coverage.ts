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
