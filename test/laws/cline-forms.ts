import { asObject, asString, parseJson } from '../../src/core/json/values.ts'
import { clineTranscript } from '../../src/entries/cline.ts'
import type { FactAgent, Facts } from '../facts/facts.ts'
import { flatFacts } from './flat-facts.ts'
import { textsOf, withJoinedTexts } from './kimi-forms.ts'
import type { Files, FormsOf } from './recordings.ts'

/** Returns the stored session, the stream, and the connections of ACP: all of them, and a load alone. */
export const clineForms: FormsOf = (files, all) => {
  // Nothing reports what a command of the shell changes.
  const changes = all.changes?.filter(({ by }) => by !== 'shell')
  const facts: Facts = {
    ...all,
    ...(changes && { changes }),
    agents: all.agents.map((agent) => withReports(withJoinedTexts(agent))),
  }
  const form = (name: string, raw: string | undefined, own: Facts) =>
    raw === undefined || raw === '' ? [] : [{ form: name, architecture: 'acp' as const, raw, facts: own }]
  const stream = files['stream.ndjson']
  return [
    { form: 'store', architecture: 'cline', raw: clineTranscript(storeOf(files)), facts: storedFacts(facts) },
    ...(stream === undefined ? [] : [{ form: 'stream', architecture: 'cline' as const, raw: stream, facts }]),
    ...form('rpc', textsOf(files, /^rpc(?:-\d)?\.ndjson$/), flatFacts(facts, 'rpc')),
    ...form('load', facts.forms.load && files['rpc-2.ndjson'], facts),
  ]
}

/** The result of an agent is JSON, and its report stands in it. */
function withReports(agent: FactAgent): FactAgent {
  const items = agent.items.map((item) => {
    const text = item.type === 'result' ? asString(asObject(parseJson(item.contains)).text) : undefined
    return item.type === 'result' && text !== undefined ? { ...item, contains: text } : item
  })
  return { ...agent, items }
}

/** A permission that was given leaves no trace in a file. */
function storedFacts({ requests, ...facts }: Facts): Facts {
  return { ...facts, ...(requests && { requests: requests.filter(({ answer }) => answer !== 'allow') }) }
}

function storeOf(files: Files): Files {
  return Object.fromEntries(
    Object.entries(files).filter(([path]) => path.startsWith('store/') && path.includes('/sessions/')),
  )
}
