import type { Architecture } from '../../../src/index.ts'
import { inputs, type RecordedInput } from '../inputs.ts'
import { AcpOracle } from './acp-oracle.ts'
import { ClaudeOracle } from './claude-oracle.ts'
import { CodexOracle } from './codex-oracle.ts'
import { OpencodeOracle } from './opencode-oracle.ts'
import type { StatusOracle } from './oracle.ts'

/** All recordings, without a list of line types by their owners: all ids there are the same, so it is no session. */
export const sessions: readonly RecordedInput[] = inputs.filter(
  ({ name }) => !name.includes('40-all-line-types'),
)

/** The oracle of each format. Each reads the raw messages, without the code under test. */
const ORACLES: Partial<Readonly<Record<Architecture, (messages: readonly unknown[]) => StatusOracle>>> = {
  'claude-sdk': () => new ClaudeOracle(),
  opencode: (messages) => new OpencodeOracle(messages),
  codex: (messages) => new CodexOracle(messages),
  acp: () => new AcpOracle(),
}

export function oracleFor({ architecture, messages }: RecordedInput): StatusOracle {
  const oracle = ORACLES[architecture]
  if (!oracle) throw new RangeError(`no oracle for ${architecture}: add one to test/wires/status/recorded.ts`)
  return oracle(messages)
}
