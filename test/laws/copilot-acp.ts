import { asArray, asObject, asString, type JsonObject, parseJson } from '../../src/core/json/values.ts'
import type { FactCall, FactItem, Facts } from '../facts/facts.ts'

/** What the program says in the place of the model. */
const NOISE = /^(?:Info: |Warning: |Error: \d)/

/**
 * Returns the facts of Copilot as ACP shows them: one flat stream, in which the texts of all agents run into each other. Only the log has the order
 * of all items, so it gives that order. The facts give the words, the calls, the results and the agents.
 */
export function acpFacts(facts: Facts, log: string): Facts {
  const items = itemsInOrder(facts, liveMessages(log))
  const [main, ...others] = facts.agents
  const agents = others.map((agent) => ({ ...agent, parent: 'main', items: [] }))
  const { lacks = [] } = facts.forms.acp ?? {}
  const forms = { ...facts.forms, acp: { lacks: [...lacks, 'child-contents'] } }
  const lost: FactItem[] = wordsAgree(facts, items)
    ? []
    : [{ type: 'text', text: 'The log lacks words of the script.' }]
  return { ...facts, agents: main ? [{ ...main, items: [...items, ...lost] }, ...agents] : [], forms }
}

/** Returns the messages without the replay of a session that the log has shown before. */
function liveMessages(log: string): readonly JsonObject[] {
  const all = log.split('\n').map((line) => asObject(asObject(parseJson(line)).msg))
  let loading: unknown
  return all.filter(({ method, id, result }) => {
    if (method === 'session/load') loading = id
    const isReplay = loading !== undefined
    if (id === loading && result !== undefined) loading = undefined
    return !isReplay
  })
}

function itemsInOrder({ agents }: Facts, messages: readonly JsonObject[]): readonly FactItem[] {
  const items: FactItem[] = []
  const placeOf = new Map<FactItem, number>()
  const used = new Set<FactItem>()
  for (const { method, params } of messages) {
    const { prompt, update } = asObject(params)
    const { sessionUpdate, content, toolCallId, title } = asObject(update)
    const text = asString(asObject(content).text) ?? ''
    if (method === 'session/prompt')
      items.push({
        type: 'prompt',
        text: asArray(prompt)
          .map((part) => asString(asObject(part).text) ?? '')
          .join(''),
      })
    const type =
      sessionUpdate === 'agent_message_chunk'
        ? 'text'
        : sessionUpdate === 'agent_thought_chunk'
          ? 'thinking'
          : undefined
    if (type && !NOISE.test(text)) addText(items, type, text)
    if (sessionUpdate !== 'tool_call') continue
    for (const agent of agents) {
      const at = agent.items.findIndex((item) => isCallOf(item, toolCallId, title) && !used.has(item))
      const call = agent.items[at]
      if (call?.type !== 'call') continue
      used.add(call)
      placeOf.set(call, items.length)
      items.push({ ...call, id: asString(toolCallId) ?? '' })
      const next = agent.items[at + 1]
      if (next?.type === 'agent') items.push(next)
      break
    }
  }
  for (const agent of agents)
    for (const item of agent.items) {
      const call = item.type === 'result' ? agent.items[item.call] : undefined
      const place = call && placeOf.get(call)
      if (item.type === 'result' && place !== undefined) items.push({ ...item, call: place })
    }
  return items
}

function isCallOf(item: FactItem, toolCallId: unknown, title: unknown): item is FactCall {
  return item.type === 'call' && (item.id === undefined ? item.name === title : item.id === toolCallId)
}

function addText(items: FactItem[], type: 'text' | 'thinking', text: string): void {
  const last = items.at(-1)
  if (last?.type === type) items[items.length - 1] = { type, text: last.text + text }
  else items.push({ type, text })
}

/** Whether the log has all characters of the scripted texts and no others. Texts of two agents may come in turns. */
function wordsAgree({ agents }: Facts, items: readonly FactItem[]): boolean {
  const characters = (all: readonly FactItem[]) =>
    all
      .flatMap((item) => (item.type === 'text' || item.type === 'cut' ? [...item.text] : []))
      .sort()
      .join('')
  return characters(items) === characters(agents.flatMap((agent) => agent.items))
}
