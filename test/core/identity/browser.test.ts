import { fileURLToPath } from 'node:url'
import { createContext, runInContext, Script } from 'node:vm'
import { build } from 'esbuild'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalize, hashCanonical } from '../../../src/core/identity/canonical.ts'
import {
  computeToolSetHash,
  hashFirstAssistantResponse,
  hashUserMessage,
} from '../../../src/core/identity/hashes.ts'
import { canonicals, hashes, turns } from './vectors.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The whole part, bundled for a browser. */
const bundle = await build({
  stdin: {
    contents: "export * from './src/entries/identity.ts'",
    resolveDir: root,
  },
  bundle: true,
  write: false,
  metafile: true,
  platform: 'browser',
  format: 'iife',
  globalName: 'identity',
  logLevel: 'silent',
})

// A separate realm with only the language and two classes that every browser has: no Buffer, no process, no require.
const browser = createContext({ TextEncoder, TextDecoder })
new Script(bundle.outputFiles[0]?.text ?? '').runInContext(browser)

const compiled = new Map<string, (json: string) => unknown>()

/** Evaluates an expression in that realm. The value goes in as JSON text, and texts come out. */
function inBrowser(expression: string, value: unknown): unknown {
  const evaluate =
    compiled.get(expression) ??
    runInContext(`(json) => ((value) => ${expression})(JSON.parse(json))`, browser)
  compiled.set(expression, evaluate)
  return evaluate(JSON.stringify(value))
}

describe('the bundle for browsers', () => {
  it('is a realm without Node', () => {
    expect(
      runInContext('[typeof process, typeof Buffer, typeof require, typeof crypto].join()', browser),
    ).toBe('undefined,undefined,undefined,undefined')
    expect(runInContext('Object', browser)).not.toBe(Object)
  })

  it('imports nothing from Node', () => {
    const imports = Object.values(bundle.metafile.inputs).flatMap((input) => input.imports)
    expect(imports.filter(({ path, external }) => external === true || path.startsWith('node:'))).toEqual([])
  })
})

describe('golden vectors in the browser', () => {
  it.each(['hashUserMessage', 'hashSystemPrompt', 'hashFirstAssistantResponse'] as const)('%s', (name) => {
    for (const { text, hash } of hashes[name]) expect(inBrowser(`identity.${name}(value)`, text)).toBe(hash)
  })

  it.each(hashes.computeToolSetHash)('computeToolSetHash: $name', ({ tools, hash }) => {
    expect(inBrowser('identity.computeToolSetHash(value.map((name) => ({ name })))', tools)).toBe(hash)
  })

  it.each(hashes.computeAgentTypeHash)(
    'computeAgentTypeHash: $name',
    ({ systemPromptHash, toolSetHash, hash }) => {
      expect(inBrowser('identity.computeAgentTypeHash(...value)', [systemPromptHash, toolSetHash])).toBe(hash)
    },
  )

  it.each(hashes.computeConversationHash)('computeConversationHash: $name', (vector) => {
    const { agentTypeHash, firstUserMessageHash, firstAssistantResponseHash, hash } = vector
    expect(
      inBrowser('identity.computeConversationHash(...value)', [
        agentTypeHash,
        firstUserMessageHash,
        firstAssistantResponseHash,
      ]),
    ).toBe(hash)
  })

  it.each(canonicals)('canonical: $name', ({ json, text, hash }) => {
    expect(inBrowser('identity.canonicalize(JSON.parse(value))', json)).toBe(text)
    expect(inBrowser('identity.hashCanonical(JSON.parse(value))', json)).toBe(hash)
  })

  it.each(turns)('turns: $name', ({ name, request, audio, text, hash }) => {
    const bytes = Object.entries(audio).map(([key, base64]) => [key, [...Buffer.from(base64, 'base64')]])
    const materialized = `identity.materializeTurns(
      identity.parseConversationSpec(value.spec).value.turns,
      new Map(value.bytes.map(([key, bytes]) => [key, Uint8Array.from(bytes)])),
    ).turns`
    const value = { spec: JSON.stringify({ name, turns: request }), bytes }
    expect(inBrowser(`identity.canonicalize(${materialized})`, value)).toBe(text)
    expect(inBrowser(`identity.hashTurns(${materialized})`, value)).toBe(hash)
  })
})

describe('browser and Node', () => {
  it('hash every text the same way, also cut and lone surrogates', () => {
    const unit = fc.oneof(
      fc.nat(0xffff),
      fc.integer({ min: 0xd7ff, max: 0xe000 }),
      fc.constantFrom(0x20, 0xfeff),
    )
    const text = fc
      .array(unit, { maxLength: 520, size: 'max' })
      .map((units) => units.map((each) => String.fromCharCode(each)).join(''))
    fc.assert(
      fc.property(text, (value) => {
        expect(inBrowser('identity.hashUserMessage(value)', value)).toBe(hashUserMessage(value))
        expect(inBrowser('identity.hashFirstAssistantResponse(value)', value)).toBe(
          hashFirstAssistantResponse(value),
        )
        const name = `${value.replaceAll('|', '')}.`
        expect(inBrowser('identity.computeToolSetHash([{ name: value }, { name: "a" }])', name)).toBe(
          computeToolSetHash([{ name }, { name: 'a' }]),
        )
      }),
    )
  })

  it('write and hash every value the same way', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        expect(inBrowser('identity.canonicalize(value)', value)).toBe(canonicalize(value))
        expect(inBrowser('identity.hashCanonical(value)', value)).toBe(hashCanonical(value))
      }),
    )
  })

  it.each([
    ['[0, NaN]', 'not-finite', [1]],
    ['({ a: undefined })', 'not-json', ['a']],
    ['[new Map()]', 'not-plain', [0]],
    ['[new (class { x = 1 })()]', 'not-plain', [0]],
    ['["\\ud83d"]', 'lone-surrogate', [0]],
  ])('refuse the same values: %s', (expression, code, path) => {
    const refusal = `(() => { try { identity.canonicalize(${expression}) } catch (error) { return JSON.stringify([error.code, error.path]) } })()`
    expect(runInContext(refusal, browser)).toBe(JSON.stringify([code, path]))
    expect(() => canonicalize(runInContext(expression, browser))).toThrow(
      expect.objectContaining({ code, path }),
    )
  })

  it('identify a conversation the same way', () => {
    const state = {
      blocks: [
        { id: 'u', type: 'user_message', status: 'complete', conversationId: 'main', content: ' Go. ' },
        {
          id: 'm:0',
          type: 'assistant_text',
          status: 'complete',
          conversationId: 'main',
          messageId: 'm',
          content: `${'a'.repeat(499)}😀`,
        },
      ],
      usage: [],
      subagents: [],
      session: {},
    }
    const identity = 'identity.identifyConversation(value, { agentTypeHash: "0123456789abcdef" })'
    expect(inBrowser(`${identity}.firstUserMessageHash`, state)).toBe(hashUserMessage('Go.'))
    expect(inBrowser(`${identity}.firstAssistantResponseHash`, state)).toBe(
      hashFirstAssistantResponse(`${'a'.repeat(499)}\ufffd`),
    )
  })
})
