import { list, type Raw, raw } from '../status/oracle.ts'
import type { Meaning } from '../status/steps-oracle.ts'
import type { StepProgram } from '../steps/programs.ts'

export const program: StepProgram = {
  name: 'Kiro CLI',
  beginning: [],
  line: (id, json) =>
    `{"version":"v1","kind":"AssistantMessage","data":{"message_id":"${id}","content":[{"kind":"text","data":${json}}]}}`,
  silent: '{"session_id":"s","cwd":"/","session_state":{"version":"v1"}}',
  meaning: () => kiroMeaning,
  stored: {
    from: 'kiro/01-tools/store',
    to: '.kiro',
    session: '.kiro/sessions/cli/00000000-0000-4000-8000-000000000900.jsonl',
    words: 'stands beside the gate',
    prompt: 'Light the lantern beside the gate.',
  },
}

function kiroMeaning({ kind, data }: Raw): Meaning {
  if (kind === 'Prompt' || kind === 'ToolResults') return 'work'
  if (kind === 'CancelledPrompt') return 'stop'
  if (kind !== 'AssistantMessage') return undefined
  return list(raw(data).content).some((part) => part.kind === 'toolUse') ? 'work' : 'answer'
}
