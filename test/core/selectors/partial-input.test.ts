import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ToolUseBlock } from '../../../src/core/state/block.ts'
import { partialInput } from '../../../src/entries/index.ts'

function call(fields: Pick<ToolUseBlock, 'input' | 'inputText'>): ToolUseBlock {
  return {
    type: 'tool_use',
    id: 'c',
    conversationId: 'main',
    status: 'pending',
    toolName: 'Write',
    toolUseId: 'c',
    ...fields,
  }
}

const streaming = (inputText: string) => partialInput(call({ input: {}, inputText }))

it('is the input, once it is known', () => {
  expect(partialInput(call({ input: { path: 'a' } }))).toEqual({ path: 'a' })
})

it.each([
  ['{', {}],
  ['{"path":', {}],
  ['{"path":"no', { path: 'no' }],
  ['{"path":"notes.md","lines":[1,2', { path: 'notes.md', lines: [1] }],
  ['{"text":"a\\', { text: 'a' }],
  ['{"text":"a\\n\\"b', { text: 'a\n"b' }],
  ['{"text":"\\ud83d', { text: '\ud83d' }],
  ['{"text":"\\ud8', { text: '' }],
  ['{"isLarge":tr', {}],
  ['', undefined],
  ['no JSON', undefined],
])('of %j is %j', (text, value) => {
  expect(streaming(text)).toEqual(value)
})

it('takes no prototype from a field', () => {
  const value = streaming('{"__proto__":{"isAdmin":true},"list":[{"__proto__":{"isAdmin":true}}],"path":"a')
  expect(value).toEqual({ list: [{}], path: 'a' })
  expect(JSON.stringify(value)).toBe('{"list":[{}],"path":"a"}')
  expect(Reflect.get(Object(value), 'isAdmin')).toBeUndefined()
})

/** Whether the first value can grow into the second one. */
function isBeginning(part: unknown, whole: unknown): boolean {
  if (typeof part === 'string' && typeof whole === 'string') return whole.startsWith(part)
  if (Array.isArray(part) && Array.isArray(whole))
    return part.every((item, at) => at < whole.length && isBeginning(item, whole[at]))
  if (typeof part === 'object' && part !== null && typeof whole === 'object' && whole !== null)
    return Object.entries(part).every(([key, value]) => isBeginning(value, Reflect.get(whole, key)))
  return Object.is(part, whole)
}

it('is a beginning of the whole input, wherever the text is cut, and in the end the whole', () => {
  const input = fc
    .dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { noNullPrototype: true })
    .filter((value) => !JSON.stringify(value).includes('"__proto__":'))
  fc.assert(
    fc.property(input, (value) => {
      const text = JSON.stringify(value)
      const whole: unknown = JSON.parse(text)
      for (let length = 1; length < text.length; length += 1)
        expect(isBeginning(streaming(text.slice(0, length)), whole)).toBe(true)
      expect(streaming(text)).toEqual(whole)
    }),
  )
})
