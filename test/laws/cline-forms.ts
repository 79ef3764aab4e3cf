import { clineTranscript } from '../../src/wires/cline/index.ts'
import type { FactAgent, FactItem, Facts } from '../facts/facts.ts'
import { textsOf, withItems, withJoinedTexts } from './kimi-forms.ts'
import type { Files, FormsOf } from './recordings.ts'

/** Returns the stored session, the stream, and the connections of ACP: all of them, and a load alone. */
export const clineForms: FormsOf = (files, all) => {
  // Nothing reports what a command of the shell changes.
  const changes = all.changes?.filter(({ by }) => by !== 'shell')
  const facts: Facts = { ...all, ...(changes && { changes }), agents: all.agents.map(withJoinedTexts) }
  const form = (name: string, raw: string | undefined, own: Facts) =>
    raw === undefined || raw === '' ? [] : [{ form: name, architecture: 'acp' as const, raw, facts: own }]
  const stream = files['stream.ndjson']
  return [
    { form: 'store', architecture: 'cline', raw: clineTranscript(storeOf(files)), facts: storedFacts(facts) },
    ...(stream === undefined ? [] : [{ form: 'stream', architecture: 'cline' as const, raw: stream, facts }]),
    ...form('rpc', textsOf(files, /^rpc(?:-\d)?\.ndjson$/), flatFacts(facts)),
    ...form('load', facts.forms.load && files['rpc-2.ndjson'], facts),
  ]
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

/** Over ACP, the work of agents is that of the session. */
function flatFacts(facts: Facts): Facts {
  const main = facts.agents.find(({ parent }) => parent === null)
  if (!main || facts.agents.length === 1) return facts
  const workOf = (key: string): readonly FactItem[] =>
    facts.agents.find((agent) => agent.key === key)?.items.filter(({ type }) => type !== 'prompt') ?? []
  const items = main.items.flatMap((item): readonly FactItem[] =>
    item.type === 'agent' ? [item, ...workOf(item.key)] : [item],
  )
  const flat: FactAgent = { ...main, items: relinked(main, items, facts.agents) }
  const form = facts.forms.rpc ?? {}
  const forms = { ...facts.forms, rpc: { ...form, lacks: [...(form.lacks ?? []), 'children'] } }
  return { ...facts, forms, agents: facts.agents.map((agent) => (agent === main ? flat : agent)) }
}

/** A result names the place of its call among the items of its own agent. */
function relinked(
  main: FactAgent,
  items: readonly FactItem[],
  agents: readonly FactAgent[],
): readonly FactItem[] {
  return items.map((item) => {
    if (item.type !== 'result') return item
    const owner = agents.find((agent) => agent.items.includes(item)) ?? main
    return withItems(owner, items).items.find((_, at) => items[at] === item) ?? item
  })
}
