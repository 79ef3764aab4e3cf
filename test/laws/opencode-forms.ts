import { asArray, asObject, isObject, type JsonObject, parseJson } from '../../src/core/json/values.ts'
import { opencodeTranscript } from '../../src/entries/opencode.ts'
import type { CombinedTranscript } from '../../src/entries/source-kit.ts'
import type { Query } from '../../src/wires/format.ts'
import { isExport, type SessionExport } from '../../src/wires/opencode/files/export.ts'
import { opencodeDatabase } from '../../src/wires/opencode/format.ts'
import type { FactAgent, Facts } from '../facts/facts.ts'
import type { Files, FormsOf } from './recordings.ts'

/** Returns the exports, the database or storage folder, and the streams of OpenCode's sessions. */
export const opencodeForms: FormsOf = (files, { sessions = [], ...last }) => {
  const all = [...sessions.map((session) => ({ ...last, ...session })), last].map((facts) => ({
    ...facts,
    agents: facts.agents.map(withoutTitles),
  }))
  const streams = Object.keys(files).filter((path) => /^stream(?:-\d)?\.ndjson$/.test(path))
  return all.flatMap((facts, at) => {
    // A program that stopped and started again has a stream for each run, and each session of several its own one.
    const own = all.length > 1 ? streams.slice(at, at + 1) : streams
    const architecture = 'opencode' as const
    return [
      ...storesOf(files, facts).map((raw) => ({
        form: 'store',
        architecture,
        raw,
        facts: storedFacts(facts),
      })),
      ...(own.length > 0
        ? [{ form: 'stream', architecture, raw: own.map((path) => files[path]).join('\n'), facts }]
        : []),
    ]
  })
}

/** Other requests are messages only where they make a compaction: the request for a title is none. */
function withoutTitles(agent: FactAgent): FactAgent {
  const { other, ...tokens } = agent.tokens
  const isCompacted = agent.items.some(({ type }) => type === 'compaction')
  return { ...agent, ...(!isCompacted && { tokens }), copied: agent.inherited ?? 0 }
}

/** OpenCode 1.2 stores a text when it is complete: its files have no part of a text that the person stopped. */
function storedFacts(facts: Facts): Facts {
  const { lacks = [] } = facts.forms.store ?? {}
  const store = { lacks: facts.version?.startsWith('1.2.') ? [...lacks, 'cuts'] : lacks }
  return { ...facts, forms: { ...facts.forms, store } }
}

function storesOf(files: Files, facts: Facts): readonly CombinedTranscript[] {
  const exported = Object.entries(files).flatMap(([path, text]) => {
    const value = path.startsWith('export/') ? parseJson(text) : undefined
    return isExport(value) ? [value] : []
  })
  const rows = files['store/opencode.db.ndjson']
  const stored = rows === undefined ? [] : exportsInDatabase(rows)
  const folder = Object.entries(files).filter(([path]) => path.startsWith('store/storage/'))
  return [
    ...[exported, stored].flatMap((exports) => sessionOf(exports, facts) ?? []),
    ...(rows === undefined && folder.length > 0 ? [opencodeTranscript(Object.fromEntries(folder))] : []),
  ]
}

/** Returns the session with all prompts of the facts, and its agents. A fork of it has more prompts. */
function sessionOf(exports: readonly SessionExport[], { agents }: Facts): CombinedTranscript | undefined {
  const prompts = agents[0]?.items.flatMap((item) => (item.type === 'prompt' ? [item.text] : [])) ?? []
  const [main] = exports
    .filter((each) => each.info.parentID === undefined)
    .filter((each) =>
      prompts.every((prompt) => JSON.stringify(each.messages).includes(JSON.stringify(prompt).slice(1, -1))),
    )
    .sort((left, right) => left.messages.length - right.messages.length)
  if (!main) return undefined
  const ids = new Set([main.info.id])
  // A fork names the agents of the session that it copies.
  const texts = (id: unknown) => JSON.stringify(exports.find(({ info }) => info.id === id)?.messages)
  for (const id of ids)
    for (const { info } of exports)
      if (info.parentID === id || (info.parentID && texts(id).includes(`"sessionId":"${info.id}"`)))
        ids.add(info.id)
  const own = exports.filter(({ info }) => ids.has(info.id))
  return opencodeTranscript(
    Object.fromEntries(own.map((each) => [`${each.info.id}.json`, JSON.stringify(each)])),
  )
}

/** Returns the sessions in the rows of a database, as `{ table, row }` a line. */
function exportsInDatabase(lines: string): readonly SessionExport[] {
  const all = lines.split('\n').map((line) => asObject(parseJson(line)))
  const rowsOf = (name: string): readonly JsonObject[] =>
    all.flatMap(({ table, row }) => (table === name && isObject(row) ? [row] : []))
  const query: Query = (sql, id) => {
    const table = /FROM (\w+)/.exec(sql)?.[1] ?? ''
    const rows = rowsOf(table).filter((row) => id === undefined || row.session_id === id)
    return [...rows].sort((left, right) => (String(left.id) < String(right.id) ? -1 : 1))
  }
  return rowsOf('session').flatMap(({ id }) => {
    const [main] = asArray(opencodeDatabase.read(String(id), query, undefined))
    const { value } = asObject(asObject(main).content)
    return isExport(value) ? [value] : []
  })
}
