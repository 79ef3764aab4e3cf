import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { hasNews, radarTable } from '../../../tools/record/radar-table.ts'
import { shapeChanges, shapeOf } from '../../../tools/record/shape.ts'

const RECORDING = join(import.meta.dirname, '../../../fixtures/qwen/06-subagent')

/** Returns what the radar finds in the recording after a change of its stream. */
function changesAfter(change: (stream: string) => string) {
  const folder = mkdtempSync(join(tmpdir(), 'radar-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  cpSync(RECORDING, folder, { recursive: true })
  const path = join(folder, 'stream.ndjson')
  writeFileSync(path, change(readFileSync(path, 'utf8')))
  return shapeChanges(shapeOf(RECORDING), shapeOf(folder))
}

it('finds nothing in the same recording', () => {
  expect(changesAfter((stream) => stream)).toEqual({
    newKinds: [],
    goneKinds: [],
    newFields: [],
    goneFields: [],
  })
})

it('names a field with another name', () => {
  const { newFields, goneFields } = changesAfter((stream) =>
    stream.replaceAll('"parent_tool_use_id"', '"parent_call"'),
  )
  expect(newFields).toContain('stream assistant message assistant: parent_call')
  expect(goneFields).toContain('stream assistant message assistant: parent_tool_use_id')
})

it('prints the old and the new name of a field, as news', () => {
  const changes = changesAfter((stream) => stream.replaceAll('"parent_tool_use_id"', '"parent_call"'))
  const report = { name: 'qwen', version: '1', outcomes: [] }
  expect(hasNews(report)).toBe(false)
  expect(hasNews({ ...report, changes })).toBe(true)
  expect(radarTable([{ ...report, changes }], []).split('\n')).toEqual(
    expect.arrayContaining([
      '- qwen: new field: stream assistant message assistant: parent_call',
      '- qwen: field is gone: stream assistant message assistant: parent_tool_use_id',
    ]),
  )
})

it('names a new kind of line', () => {
  expect(changesAfter((stream) => `${stream}{"type":"heartbeat","at":1}\n`).newKinds).toEqual([
    'stream heartbeat',
  ])
})

it('prints a form that is wrong with its first fault, and a reason in place of a scenario', () => {
  const forms = [
    { form: 'store', faults: [] },
    { form: 'stream', faults: ['Facts: main: items', 'Facts: more'] },
  ]
  const report = {
    name: 'qwen',
    version: '1',
    outcomes: [
      ['text', { forms }],
      ['nested', { reason: 'none' }],
    ] as const,
  }
  expect(radarTable([report], ['text', 'nested']).split('\n')).toEqual([
    '| program | text | nested |',
    '| --- | --- | --- |',
    '| qwen 1 | store, **stream wrong** | – |',
    '',
    '- qwen: text, stream: Facts: main: items',
    '- qwen: nested: – (none)',
  ])
  expect(hasNews(report)).toBe(true)
})
