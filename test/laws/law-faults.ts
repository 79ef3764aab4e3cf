import { loadedSourceOf } from '../../src/wires/sources.ts'
import { factDifferences } from '../facts/check-facts.ts'
import { wrongJoins } from '../wires/join-law.ts'
import { messagesOf } from '../wires/messages-in.ts'
import { wrongEnds } from '../wires/status/end-law.ts'
import { wrongStatuses } from '../wires/status/prefix-law.ts'
import type { RecordedForm } from './recordings.ts'

interface Places {
  /** The places of the laws Save and Join. The default is each one. */
  readonly cuts?: number
  /** The law Prefix is checked after so many messages. The default is all. */
  readonly prefixes?: number
  /** The law End is checked after every so many messages. The default is 1. */
  readonly endsEvery?: number
}

/** Returns where the form of a recording breaks the laws Facts, Prefix, End, Save and Join. */
export function lawFaults(
  { recording, form, architecture, facts, raw }: RecordedForm,
  { cuts, prefixes, endsEvery }: Places = {},
): readonly string[] {
  const source = loadedSourceOf(architecture)
  const messages = messagesOf(architecture, raw)
  const input = { name: recording, architecture, source, messages }
  const { session } = source.end(source.read(source.open(), messages).session)
  return [
    ...factDifferences(session.state, facts, { form }).map((fault) => `Facts: ${fault}`),
    ...wrongStatuses(input, prefixes).map((fault) => `Prefix: ${fault}`),
    ...wrongEnds(input, endsEvery).map((fault) => `End: ${fault}`),
    ...wrongJoins(input, cuts).map((fault) => `Join: ${fault}`),
  ]
}
