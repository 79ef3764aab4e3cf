import { numberOfId } from '../../core/state/numbered-id.ts'
import {
  type BlockPair,
  type Coverage,
  type ExclusionRule,
  isOtherCall,
  PROGRAM_NOTES,
  STOPPED_TEXTS,
  SUBAGENT_CONVERSATIONS,
  SYSTEM_NOTES,
} from '../coverage.ts'

const EXCLUSIONS: readonly ExclusionRule[] = [
  // A file has neither a text that was cut, nor a call that did not end.
  STOPPED_TEXTS,
  { kind: 'unfinished', side: 'live', applies: ({ block, other }) => isOtherCall(block, other.callIds) },
  { kind: 'turn-failure', side: 'live', applies: ({ block }) => block.type === 'error' },
  { kind: 'thinking', side: 'stored', applies: ({ block }) => block.type === 'thinking' },
  { kind: 'request', side: 'stored', applies: ({ block }) => block.type === 'request' },
  PROGRAM_NOTES,
  SYSTEM_NOTES,
  SUBAGENT_CONVERSATIONS,
]

/** The facts that the stream and the chats of Gemini CLI carry. */
export const geminiCoverage: Coverage = {
  exclusions: EXCLUSIONS,
  callsArriveAsTheyFinish: () => false,
  timesEveryCall: false,
  isOwnId: (id) => numberOfId(id) !== undefined,
  unknownFields,
  agentFacts: ['agentId', 'name', 'output'],
  // The call of an agent that failed succeeds.
  ownAgentFacts: ['status'],
  // The stream names the model that the person chose, and not the one that answered. A turn that failed leaves no
  // line in a file.
  ownFacts: ['model', 'outcome'],
}

/**
 * Returns the fields that each form states in its own way. The stream has the start of a text, outputs for the
 * screen, and no messages. Files have the end of a reply, and outputs for the model.
 */
function unknownFields({ live }: BlockPair): readonly string[] {
  if (live.type === 'tool_result') return ['timestamp', 'output', 'exitCode']
  return live.type === 'subagent'
    ? ['timestamp', 'messageId', 'agentId', 'name', 'output', 'status']
    : ['timestamp', 'messageId']
}
