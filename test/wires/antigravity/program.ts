import { list, type Raw, text } from '../status/oracle.ts'
import type { Meaning } from '../status/steps-oracle.ts'
import type { StepProgram } from '../steps/programs.ts'

export const program: StepProgram = {
  name: 'Antigravity',
  beginning: [],
  // The number of a step stands for its id.
  line: (id, json) =>
    `{"step_index":1,"source":"MODEL","type":"PLANNER_RESPONSE","created_at":"${id}","content":${json}}`,
  silent:
    '{"step_index":1,"source":"SYSTEM","type":"EPHEMERAL_MESSAGE","created_at":"2026-01-01T00:00:00Z","content":"x"}',
  meaning: () => antigravityMeaning,
  stored: {
    from: 'antigravity/02-restart/store',
    to: '.gemini/antigravity-cli',
    session:
      '.gemini/antigravity-cli/brain/00000000-0000-4000-8000-000000000924/.system_generated/logs/transcript.jsonl',
    words: 'It says: mill.',
    prompt: 'Read the sign.',
  },
}

function antigravityMeaning({ source, type, content, tool_calls }: Raw): Meaning {
  if (source === 'SYSTEM')
    return type === 'SYSTEM_MESSAGE' && !text(content).includes('sender=system') ? 'work' : undefined
  if (type !== 'PLANNER_RESPONSE') return 'work'
  return list(tool_calls).length === 0 && text(content) !== '' ? 'answer' : 'work'
}
