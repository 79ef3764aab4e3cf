import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asArray, asObject, isObject, type JsonObject } from '../../../../src/core/json/values.ts'
import { type ConversationBlock, parseTranscript } from '../../../../src/entries/index.ts'
import { runs } from '../../../depth.ts'
import { allRecordings, type Recording, replay } from '../../recordings.ts'

type Line = Readonly<Record<string, unknown>>

const all = allRecordings
const byName = new Map(all.map((recording) => [recording.name, recording]))
/** Named, so that a counterexample is readable. */
const anyName = fc.constantFrom(...byName.keys())
const linesIn = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '')

/** A newer release may add an unknown field at every level of a line, except inside the user's own data. */
function withNewFields(value: unknown, depth = 0): unknown {
  if (Array.isArray(value)) return value.map((item) => withNewFields(item, depth))
  if (!isObject(value) || depth > 4 || value.type === 'tool_result') return value
  const known = Object.entries(value).map(([key, field]) => [
    key,
    OWN.has(key) ? field : withNewFields(field, depth + 1),
  ])
  return Object.fromEntries([...known, ['tea_strength', { minutes: 3 }]])
}

/** Events pass these on unchanged: a tool’s input, its result, the data of a system block, and the facts of a request. */
const OWN = new Set([
  'input',
  'request',
  'tool_use_result',
  'toolUseResult',
  'source',
  'data',
  'content_block',
])

const UNKNOWN_LINES = [
  '{"type":"tea_break","uuid":"u-tea","session_id":"s"}',
  '{"type":"system","subtype":"tea_break","uuid":"u-tea-2"}',
  '{"type":"assistant","message":{"id":"msg_tea","role":"assistant","content":[{"type":"tea","leaves":3}]},"uuid":"u-tea-3"}',
  '{"type":"attachment","attachment":{"type":"tea"},"uuid":"u-tea-4","sessionId":"s"}',
]

it.each(all)('an addition of a newer release changes nothing else: fields in $name', ({ stream, disk }) => {
  const added = (text: string) =>
    linesIn(text)
      .map((line) => JSON.stringify(withNewFields(JSON.parse(line))))
      .join('\n')
  expect(replay(added(stream)).state).toEqual(replay(stream).state)
  const subagents = disk.subagents.map((subagent) => ({
    ...subagent,
    transcript: added(subagent.transcript),
  }))
  expect(replay({ main: added(disk.main), subagents }).state).toEqual(replay(disk).state)
})

// A lost line takes only its own content with it.
describe('the content of the remaining lines', () => {
  it('is in the state, even if other lines are lost, repeated, unknown or cut off', () => {
    const change = fc.tuple(fc.constantFrom('drop', 'repeat', 'new'), fc.nat())
    const arbitrary = fc.tuple(anyName, fc.boolean(), fc.array(change, { maxLength: 12 }), fc.nat())
    fc.assert(
      fc.property(arbitrary, ([name, isStream, changes, cut]) => {
        const recording = recordingOf(name)
        const whole = isStream ? recording.stream : recording.disk.main
        const lines = changes.reduce(changed, linesIn(whole))
        const text = `${lines.slice(0, -1).join('\n')}\n${lines.at(-1)?.slice(0, cut % 100) ?? ''}`
        fc.pre(lines.length > 2)
        const { blocks } = parseTranscript('claude-sdk', inPlace(recording, text, isStream))
        const contents = contentsOf(lines.slice(0, -1))
        expect(contents.filter(([kind, value]) => !has(blocks, kind, value))).toEqual([])
      }),
      { numRuns: runs(300) },
    )
  })
})

function recordingOf(name: string): Recording {
  const found = byName.get(name)
  if (!found) throw new RangeError(`no recording ${name}`)
  return found
}

function inPlace({ disk }: Recording, text: string, isStream: boolean): string | typeof disk {
  return isStream ? text : { ...disk, main: text }
}

function changed(lines: readonly string[], [change, place]: readonly [string, number]): readonly string[] {
  const at = place % Math.max(1, lines.length)
  if (change === 'drop') return lines.toSpliced(at, 1)
  if (change === 'repeat') return lines.toSpliced(at, 0, lines[at] ?? '')
  return lines.toSpliced(at, 0, UNKNOWN_LINES[place % UNKNOWN_LINES.length] ?? '')
}

type Said = readonly ['text' | 'call' | 'result', string]

/** The model's texts and calls and the tools' results in main's whole lines. */
function contentsOf(lines: readonly string[]): readonly Said[] {
  return lines.flatMap((text): readonly Said[] => {
    const line: Line = JSON.parse(text)
    const message = asObject(line.message)
    const isMain = line.parent_tool_use_id === undefined || line.parent_tool_use_id === null
    if (!isMain || line.isSidechain === true || message.model === '<synthetic>') return []
    return asArray(message.content).flatMap((part) => saidBy(line.type, asObject(part)))
  })
}

function saidBy(type: unknown, { type: kind, text, id, tool_use_id }: JsonObject): readonly Said[] {
  if (type === 'assistant' && kind === 'text') return [['text', String(text)]]
  if (type === 'assistant' && kind === 'tool_use') return [['call', String(id)]]
  if (type === 'user' && kind === 'tool_result') return [['result', String(tool_use_id)]]
  return []
}

/** A subagent's call and its result are one block. */
function has(blocks: readonly ConversationBlock[], kind: Said[0], value: string): boolean {
  return blocks.some((block) => {
    if (kind === 'text') return block.type === 'assistant_text' && block.content === value
    if (!('toolUseId' in block) || block.toolUseId !== value) return false
    return block.type === 'subagent' || block.type === (kind === 'call' ? 'tool_use' : 'tool_result')
  })
}
