import { loadedSourceOf } from '../../src/wires/sources.ts'
import { factDifferences } from '../facts/check-facts.ts'
import { wrongJoins } from '../wires/join-law.ts'
import { messagesOf } from '../wires/messages-in.ts'
import { wrongEnds } from '../wires/status/end-law.ts'
import { wrongStatuses } from '../wires/status/prefix-law.ts'
import type { RecordedForm } from './recordings.ts'

/** Returns where the form of a recording breaks the laws Facts, Prefix, End, Save and Join. The last two hold at so many cuts. */
export function lawFaults(
  { recording, form, architecture, facts, raw }: RecordedForm,
  cuts?: number,
): readonly string[] {
  const source = loadedSourceOf(architecture)
  const messages = messagesOf(architecture, raw)
  const input = { name: recording, architecture, source, messages }
  const { session } = source.end(source.read(source.open(), messages).session)
  return [
    ...factDifferences(session.state, facts, { form }).map((fault) => `Facts: ${fault}`),
    ...wrongStatuses(input).map((fault) => `Prefix: ${fault}`),
    ...wrongEnds(input).map((fault) => `End: ${fault}`),
    ...wrongJoins(input, cuts).map((fault) => `Join: ${fault}`),
  ]
}
