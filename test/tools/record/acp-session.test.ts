import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AcpMode, overAcp } from '../../../tools/record/acp-session.ts'
import { acpOf } from '../../../tools/record/programs/acp.ts'
import { claudeCode } from '../../../tools/record/programs/claude-code.ts'
import { kimi } from '../../../tools/record/programs/kimi.ts'
import { qwen } from '../../../tools/record/programs/qwen.ts'
import type { Run } from '../../../tools/record/script.ts'
import { asked, main, replied, scenario } from '../../../tools/record/steps.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentfold-acp-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** An agent that asks for a permission and for a file before it answers a prompt. It never answers the prompt `wait`. */
const AGENT = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const results = { initialize: {}, 'session/new': { sessionId: 's1' }, 'session/set_mode': {} }
let prompt
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result, error } = JSON.parse(line)
  if (method === 'session/cancel') return send({ id: prompt, result: { stopReason: 'cancelled' } })
  if (results[method]) return send({ id, result: results[method] })
  if (method === 'session/prompt') {
    prompt = id
    if (params.prompt[0].text === 'wait') return
    const options = [{ optionId: 'no', kind: 'reject_once' }, { optionId: 'yes', kind: 'allow_once' }]
    return send({ id: 'p1', method: 'session/request_permission', params: { sessionId: 's1', options } })
  }
  if (id === 'p1') return send({ id: 'f1', method: 'fs/read_text_file', params: {} })
  if (id === 'f1') send({ id: prompt, result: { stopReason: 'end_turn', answer: error.code } })
})`

const mode: AcpMode = {
  command: () => [process.execPath, '-e', AGENT],
  modeId: 'all',
  form: 'rpc',
  lacks: ['tokens'],
  store: 'store',
  can: [],
}

async function recorded(...runs: readonly Run[]) {
  const prompts = runs.map(({ prompt }) => prompt)
  const script = scenario('test', [main(...prompts.map(asked), replied({ say: 'Done.' }))], prompts)
  const place = { home: folder, work: folder, installed: folder, node: process.execPath }
  const session = { ...place, scenario: { ...script, runs }, url: '', silence: Promise.resolve() }
  const { files = {} } = (await overAcp(kimi, mode).record?.(session)) ?? {}
  const lines = (files['rpc.ndjson'] ?? '').trim().split('\n')
  return lines.map((line): { dir: string; msg: Record<string, unknown> } => JSON.parse(line))
}

it('keeps both directions, and answers what the program asks', async () => {
  const log = await recorded({ prompt: 'Go.' })
  const sent = log.flatMap(({ dir, msg }) => (dir === 'out' && msg.method ? [msg.method] : []))
  expect(sent).toEqual(['initialize', 'session/new', 'session/set_mode', 'session/prompt'])
  const answer = (id: string) => log.find(({ dir, msg }) => dir === 'out' && msg.id === id)?.msg
  expect(answer('p1')?.result).toEqual({ outcome: { outcome: 'selected', optionId: 'yes' } })
  expect(log.at(-1)?.msg.result).toEqual({ stopReason: 'end_turn', answer: -32601 })
})

it('refuses where nobody allows, cancels, and ends with a program that is killed', async () => {
  const refused = await recorded({ prompt: 'Go.', refuses: true })
  expect(JSON.stringify(refused)).toContain('"optionId":"no"}')
  const cancelled = await recorded({ prompt: 'wait', stop: 'interrupt' })
  expect(cancelled.at(-1)?.msg.result).toEqual({ stopReason: 'cancelled' })
  const killed = await recorded({ prompt: 'wait', stop: 'kill' })
  expect(killed.some(({ msg }) => 'stopReason' in Object(msg.result))).toBe(false)
})

it('has the forms of the connection, and of the session that it leaves', () => {
  const script = scenario('text', [], ['Go.'])
  const { store: stored = {} } = qwen.forms(script)
  expect(acpOf(qwen)?.forms(script)).toEqual({
    acp: { lacks: ['child-prompts', 'pictures'], lacksAgents: [] },
    store: { ...stored, lacks: [...(stored.lacks ?? []), 'prompt-pictures'] },
  })
  expect(acpOf(claudeCode)).toBeUndefined()
})
