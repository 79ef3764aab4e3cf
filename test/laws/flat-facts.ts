import type { FactAgent, FactItem, Facts } from '../facts/facts.ts'
import { withItems } from './kimi-forms.ts'

/** Returns the facts of a form that shows the work of agents as that of main. An agent of it has the facts of its call. */
export function flatFacts(facts: Facts, form: string): Facts {
  const main = facts.agents.find(({ parent }) => parent === null)
  if (!main || facts.agents.length === 1) return facts
  const workOf = (agent: FactAgent): readonly FactItem[] =>
    agent.items.flatMap((item) => {
      const started = item.type === 'agent' && facts.agents.find(({ key }) => key === item.key)
      return started ? [item, ...workOf(started).filter(({ type }) => type !== 'prompt')] : [item]
    })
  const tokens = { ...main.tokens }
  for (const { tokens: own } of facts.agents.filter((agent) => agent !== main))
    for (const [name, count] of Object.entries(own))
      if (typeof count === 'number') tokens[name] = Number(tokens[name] ?? 0) + count
  const flat = { ...main, items: relinked(main, workOf(main), facts.agents), tokens }
  const { lacks = [], ...others } = facts.forms[form] ?? {}
  const forms = { ...facts.forms, [form]: { ...others, lacks: [...lacks, 'children'] } }
  const agents = facts.agents.map((agent) => (agent === main ? flat : { ...agent, parent: main.key }))
  return { ...facts, forms, agents: agents.map((agent) => (agent.parent === null ? flat : agent)) }
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
