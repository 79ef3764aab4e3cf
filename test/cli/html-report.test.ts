import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { htmlReport } from '../../src/cli/page/html-report.ts'
import { contentSecurityPolicy } from '../../src/cli/page/page.ts'
import { writeReport } from '../../src/cli/page/write-report.ts'
import { reduceSessionEvents } from '../../src/reducer/reduce.ts'
import { createInitialConversationState, type SessionConversationState } from '../../src/state/session.ts'
import { restore } from '../../src/sync/snapshot.ts'
import { temporaryFolder } from './temporary.ts'

const PAGE = `<meta http-equiv="content-security-policy" content="default-src 'none'; connect-src 'self'"><body><!-- session --></body>`

const stateWith = (content: string): SessionConversationState =>
  reduceSessionEvents(createInitialConversationState(), [
    {
      type: 'block:upsert',
      block: { id: 'jo@example.org', type: 'assistant_text', status: 'complete', content },
    },
    {
      type: 'block:upsert',
      block: {
        ...{ id: 'c', type: 'tool_use', toolName: 'Bash', toolUseId: 'c', status: 'complete' },
        input: { id: 'jo@example.org', list: ['jo@example.org', 1, null], deep: { type: 'jo@example.org' } },
      },
    },
  ])

const dataIn = (html: string): string =>
  /<script type="application\/json" id="session">(.*)<\/script>/.exec(html)?.[1] ?? ''

describe('htmlReport', () => {
  it('holds the session, and no text of it ends the script element', () => {
    const state = stateWith('</script><script>alert(1)</script><!-- \u2028 \u2029 $& $1')
    const html = htmlReport(state, { page: PAGE })
    expect(dataIn(html)).not.toMatch(/[<\u2028\u2029]/)
    expect(restore(JSON.parse(dataIn(html))).state).toEqual(state)
  })

  it('forbids every connection', () => {
    const html = htmlReport(stateWith(''), { page: PAGE })
    expect(contentSecurityPolicy(PAGE)).toContain("connect-src 'self'")
    expect(contentSecurityPolicy(html)).toBe("default-src 'none'; connect-src 'none'")
  })

  it('redacts every text, also in the input of tools, and keeps the ids of the session', () => {
    const redact = (text: string): string => text.replaceAll('jo@example.org', '[email]')
    const html = htmlReport(stateWith('jo@example.org'), { page: PAGE, redact })
    const { blocks } = restore(JSON.parse(dataIn(html))).state
    expect(blocks).toMatchObject([
      { id: 'jo@example.org', content: '[email]' },
      { toolName: 'Bash', input: { id: '[email]', list: ['[email]', 1, null], deep: { type: '[email]' } } },
    ])
  })

  it('refuses a page without a place for the session', () => {
    expect(() => htmlReport(stateWith(''), { page: '<p>' })).toThrow(TypeError)
  })
})

describe('writeReport', () => {
  const { inFolder } = temporaryFolder()

  it.each([
    [10, /^wrote .*report\.html, 1 kB\n$/],
    [2_500_000, /^wrote .*report\.html, 2\.5 MB\n$/],
  ])('states the size of a session with %i letters', async (letters, line) => {
    const file = inFolder('report.html')
    const written = await writeReport(stateWith('x'.repeat(letters)), { file, redact: undefined, page: PAGE })
    expect(written).toMatch(line)
    expect(restore(JSON.parse(dataIn(await readFile(file, 'utf8')))).state.blocks).toHaveLength(2)
  })

  it('says that it cannot write the file', async () => {
    const file = inFolder('no', 'folder.html')
    await expect(writeReport(stateWith(''), { file, redact: undefined, page: PAGE })).rejects.toThrow(
      /cannot be written \(ENOENT\)$/,
    )
  })
})

describe('contentSecurityPolicy', () => {
  it('forbids everything for a page without a policy', () => {
    expect(contentSecurityPolicy('<p>')).toBe("default-src 'none'")
  })
})
