import type { Architecture } from '../../../src/entries/index.ts'
import type { RecordedInput } from '../inputs.ts'
import { STEP_PROGRAMS } from '../steps/programs.ts'
import { AcpOracle } from './acp-oracle.ts'
import { ClaudeOracle } from './claude-oracle.ts'
import { ClineOracle } from './cline-oracle.ts'
import { CodexOracle } from './codex-oracle.ts'
import { CopilotOracle } from './copilot-oracle.ts'
import { GeminiOracle } from './gemini-oracle.ts'
import { GrokOracle } from './grok-oracle.ts'
import { KimiOracle } from './kimi-oracle.ts'
import { OpencodeOracle } from './opencode-oracle.ts'
import { raw, type StatusOracle, text } from './oracle.ts'
import { PiOracle } from './pi-oracle.ts'
import { QwenOracle } from './qwen-oracle.ts'
import { StepsOracle } from './steps-oracle.ts'

/** The oracle of each format. Each reads the raw messages, without the code under test. */
const ORACLES: Partial<Readonly<Record<Architecture, (messages: readonly unknown[]) => StatusOracle>>> = {
  'claude-sdk': () => new ClaudeOracle(),
  opencode: (messages) => new OpencodeOracle(messages),
  codex: (messages) => new CodexOracle(messages),
  pi: () => new PiOracle(),
  kimi: () => new KimiOracle(),
  acp: (messages) => (isOfGrok(messages) ? new GrokOracle() : new AcpOracle()),
  copilot: () => new CopilotOracle(),
  gemini: () => new GeminiOracle(),
  qwen: () => new QwenOracle(),
  cline: () => new ClineOracle(),
  ...Object.fromEntries(
    STEP_PROGRAMS.map(({ architecture, meaning, agentField }) => [
      architecture,
      () => new StepsOracle(meaning(), agentField),
    ]),
  ),
}

export function oracleFor({ architecture, messages }: RecordedInput): StatusOracle {
  const oracle = ORACLES[architecture]
  if (!oracle) throw new RangeError(`no oracle for ${architecture}: add one to test/wires/status/oracles.ts`)
  return oracle(messages)
}

/** Whether a message has a key that only Grok Build writes, or is a line without an envelope. */
function isOfGrok(messages: readonly unknown[]): boolean {
  return messages.some(
    (message) => text(raw(message).type) !== '' || /"_?x\.ai\//.test(JSON.stringify(message)),
  )
}
