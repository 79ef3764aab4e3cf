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
