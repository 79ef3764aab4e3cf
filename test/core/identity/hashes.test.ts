import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  computeAgentTypeHash,
  computeConversationHash,
  computeToolSetHash,
  hashFirstAssistantResponse,
  hashSystemPrompt,
  hashUserMessage,
} from '../../../src/core/identity/hashes.ts'
import { hashes } from './vectors.ts'

/** The literal code of the RFC. */
const node = (text: string) => createHash('sha256').update(text).digest('hex').substring(0, 16)

/** Any UTF-16 units, often half surrogate pairs, white space and control characters. */
const text = fc
  .array(
    fc.oneof(fc.nat(0xffff), fc.integer({ min: 0xd7ff, max: 0xe000 }), fc.integer({ min: 0, max: 0xa0 })),
    {
      maxLength: 600,
      size: 'max',
    },
  )
  .map((units) => units.map((unit) => String.fromCharCode(unit)).join(''))

describe('computeToolSetHash', () => {
  it('produces same hash regardless of tool order', () => {
    const tools1 = [{ name: 'read_file' }, { name: 'write_file' }]
    const tools2 = [{ name: 'write_file' }, { name: 'read_file' }]
    expect(computeToolSetHash(tools1)).toBe(computeToolSetHash(tools2))
  })

  it('produces different hash for different tool sets', () => {
    const tools1 = [{ name: 'read_file' }]
    const tools2 = [{ name: 'write_file' }]
    expect(computeToolSetHash(tools1)).not.toBe(computeToolSetHash(tools2))
  })

  it('returns 16-character hex string', () => {
    const hash = computeToolSetHash([{ name: 'test' }])
    expect(hash).toMatch(/^[a-f0-9]{16}$/)
  })

  it.each(hashes.computeToolSetHash)('has the golden hash of $name', ({ tools, hash }) => {
    expect(computeToolSetHash(tools.map((name) => ({ name })))).toBe(hash)
  })

  it('reads only names', () => {
    const tools = [
      { name: 'b', description: 'B', inputSchema: { type: 'object' } },
      { name: 'a', description: 'A' },
    ]
    expect(computeToolSetHash(tools)).toBe(computeToolSetHash([{ name: 'a' }, { name: 'b' }]))
  })

  it('changes neither the list nor its order', () => {
    const tools = [{ name: 'b' }, { name: 'a' }]
    const [first, second] = tools
    computeToolSetHash(tools)
    expect(tools).toEqual([{ name: 'b' }, { name: 'a' }])
    expect(tools[0]).toBe(first)
    expect(tools[1]).toBe(second)
  })

  it('accepts a frozen list', () => {
    const tools = Object.freeze([Object.freeze({ name: 'b' }), Object.freeze({ name: 'a' })])
    expect(computeToolSetHash(tools)).toBe(node('a|b'))
  })

  it.each(['a|b', '|', 'a|', '|b', 'mcp|files|read'])('refuses %j with advice', (name) => {
    const tools = [{ name: 'read_file' }, { name }]
    expect(() => computeToolSetHash(tools)).toThrow(RangeError)
    expect(() => computeToolSetHash(tools)).toThrow(`${JSON.stringify(name)} contains "|": rename the tool`)
  })

  it('has no hash that two sets could share because of "|"', () => {
    expect(() => computeToolSetHash([{ name: 'a|b' }])).toThrow(RangeError)
    expect(computeToolSetHash([{ name: 'a' }, { name: 'b' }])).not.toBe(computeToolSetHash([{ name: 'ab' }]))
  })

  it('is equal to the RFC’s hash for every set of names, in any order', () => {
    const name = text.filter((each) => each !== '' && !each.includes('|'))
    fc.assert(
      fc.property(fc.array(name, { maxLength: 5 }), (names) => {
        const hash = computeToolSetHash(names.map((each) => ({ name: each })))
        expect(hash).toBe(node([...names].sort().join('|')))
        expect(computeToolSetHash(names.toReversed().map((each) => ({ name: each })))).toBe(hash)
      }),
    )
  })
})

describe('computeAgentTypeHash', () => {
  it('combines system prompt and tool set hashes', () => {
    const hash = computeAgentTypeHash('abc123', 'def456')
    expect(hash).toMatch(/^[a-f0-9]{16}$/)
  })

  it('produces different hash for different inputs', () => {
    const hash1 = computeAgentTypeHash('abc', 'def')
    const hash2 = computeAgentTypeHash('abc', 'ghi')
    expect(hash1).not.toBe(hash2)
  })

  it.each(hashes.computeAgentTypeHash)(
    'has the golden hash of $name',
    ({ systemPromptHash, toolSetHash, hash }) => {
      expect(computeAgentTypeHash(systemPromptHash, toolSetHash)).toBe(hash)
    },
  )
})

describe('computeConversationHash', () => {
  it('combines all three inputs', () => {
    const hash = computeConversationHash('type', 'user', 'assistant')
    expect(hash).toMatch(/^[a-f0-9]{16}$/)
  })

  it('is stable for same inputs', () => {
    const hash1 = computeConversationHash('a', 'b', 'c')
    const hash2 = computeConversationHash('a', 'b', 'c')
    expect(hash1).toBe(hash2)
  })

  it.each(hashes.computeConversationHash)(
    'has the golden hash of $name',
    ({ agentTypeHash, firstUserMessageHash, firstAssistantResponseHash, hash }) => {
      expect(computeConversationHash(agentTypeHash, firstUserMessageHash, firstAssistantResponseHash)).toBe(
        hash,
      )
    },
  )

  it('changes with each of its parts', () => {
    const digit = fc.constantFrom('0', 'a', 'f')
    const part = fc.tuple(digit, digit).map(([first, last]) => `${first}${'0'.repeat(14)}${last}`)
    const parts = fc.tuple(part, part, part)
    fc.assert(
      fc.property(parts, parts, (left, right) => {
        const isSame = left.join() === right.join()
        expect(computeConversationHash(...left) === computeConversationHash(...right)).toBe(isSame)
      }),
    )
  })
})

describe('hashFirstAssistantResponse', () => {
  it('truncates to 500 characters', () => {
    const longText = 'a'.repeat(1000)
    const hash1 = hashFirstAssistantResponse(longText)
    const hash2 = hashFirstAssistantResponse('a'.repeat(500))
    expect(hash1).toBe(hash2)
  })

  it('trims whitespace', () => {
    const hash1 = hashFirstAssistantResponse('  hello  ')
    const hash2 = hashFirstAssistantResponse('hello')
    expect(hash1).toBe(hash2)
  })

  it('handles empty string', () => {
    const hash = hashFirstAssistantResponse('')
    expect(hash).toMatch(/^[a-f0-9]{16}$/)
  })

  it.each(hashes.hashFirstAssistantResponse)('has the golden hash of $name', ({ text, hash }) => {
    expect(hashFirstAssistantResponse(text)).toBe(hash)
  })

  it('counts UTF-16 units', () => {
    const sameUpTo500 = `${'a'.repeat(500)}b`
    expect(hashFirstAssistantResponse(sameUpTo500)).toBe(hashFirstAssistantResponse('a'.repeat(500)))
    expect(hashFirstAssistantResponse(`${'a'.repeat(499)}b`)).not.toBe(
      hashFirstAssistantResponse('a'.repeat(500)),
    )
  })

  it('hashes the first half of a cut surrogate pair like U+FFFD', () => {
    const cut = hashFirstAssistantResponse(`${'a'.repeat(499)}😀 and more`)
    expect(cut).toBe(node(`${'a'.repeat(499)}\ufffd`))
    expect(cut).toBe(node(`${'a'.repeat(499)}\ud83d`))
  })

  it('trims first, then cuts', () => {
    expect(hashFirstAssistantResponse(`${' '.repeat(600)}a`)).toBe(node('a'))
    expect(hashFirstAssistantResponse(`${'a'.repeat(499)} b`)).toBe(node(`${'a'.repeat(499)} `))
  })

  it('is equal to the RFC’s hash for every text', () => {
    fc.assert(
      fc.property(text, (each) => {
        expect(hashFirstAssistantResponse(each)).toBe(node(each.trim().substring(0, 500)))
      }),
    )
  })
})

describe('hashUserMessage', () => {
  it('trims whitespace', () => {
    const hash1 = hashUserMessage('  test  ')
    const hash2 = hashUserMessage('test')
    expect(hash1).toBe(hash2)
  })

  it.each(hashes.hashUserMessage)('has the golden hash of $name', ({ text, hash }) => {
    expect(hashUserMessage(text)).toBe(hash)
  })

  it('hashes the whole text of any length', () => {
    expect(hashUserMessage(`${'a'.repeat(100_000)}b`)).not.toBe(hashUserMessage(`${'a'.repeat(100_000)}c`))
  })

  it('is equal to the RFC’s hash for every text', () => {
    fc.assert(
      fc.property(text, (each) => {
        expect(hashUserMessage(each)).toBe(node(each.trim()))
      }),
    )
  })
})

describe('hashSystemPrompt', () => {
  it.each(hashes.hashSystemPrompt)('has the golden hash of $name', ({ text, hash }) => {
    expect(hashSystemPrompt(text)).toBe(hash)
  })

  it('follows the rule of user messages', () => {
    fc.assert(
      fc.property(text, (each) => {
        expect(hashSystemPrompt(each)).toBe(hashUserMessage(each))
      }),
    )
  })
})
