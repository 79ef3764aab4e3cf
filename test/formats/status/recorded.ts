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

export function oracleFor({ name, messages }: RecordedInput): StatusOracle {
  if (name.startsWith('acp')) return new AcpOracle()
  if (name.startsWith('codex')) return new CodexOracle(messages)
  return name.startsWith('opencode') ? new OpencodeOracle(messages) : new ClaudeOracle()
}
