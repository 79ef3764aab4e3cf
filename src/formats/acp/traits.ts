import { PROMPTS, SUBAGENT_CONVERSATIONS, SYSTEM_NOTES } from '../coverage.ts'
import type { FormatTraits } from '../format.ts'
import { numberOfId } from '../translation/numbered-id.ts'
import { readPromptId } from './blocks/prompt.ts'

/** The facts about the Agent Client Protocol. */
export const acpTraits: FormatTraits = {
  coverage: {
    exclusions: [PROMPTS, SYSTEM_NOTES, SUBAGENT_CONVERSATIONS],
    callsArriveAsTheyFinish: () => true,
    timesEveryCall: false,
    isOwnId: (id) => readPromptId(id) !== undefined || numberOfId(id) !== undefined,
    agentFacts: ['name', 'description', 'prompt', 'output', 'agentId'],
  },
  firstMessages: { startProvedBy: 'prompt', canBeEmpty: false, textNeedsUsage: false, isEndedByNext: false },
}
