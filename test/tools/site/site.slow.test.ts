import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, normalize } from 'node:path'
import { build } from 'esbuild'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { copiedFiles } from '../../../tools/site/copied-files.ts'
import { markdownHtml } from '../../../tools/site/markdown-html.ts'
import { registryFiles } from '../../../tools/site/registry.ts'
import { builtSite } from '../../page/built.ts'

const ROOT = join(import.meta.dirname, '../../..')

describe('the pages of the site', () => {
  const pages = new Map<string, string>()
  beforeAll(async () => {
    const folder = await builtSite()
    for (const name of await readdir(folder, { recursive: true }))
      if (name.endsWith('.html')) pages.set(name, await readFile(join(folder, name), 'utf8'))
  })

  it('are all those of the documentation', async () => {
    const sources = (await readdir(join(ROOT, 'docs'), { recursive: true })).filter((name) =>
      name.endsWith('.md'),
    )
    for (const name of sources) expect(pages.has(`docs/${name.replace(/md$/, 'html')}`), name).toBe(true)
  })

  it('link to pages and headings that exist, or to the repository', () => {
    const broken: string[] = []
    for (const [path, html] of pages)
      for (const [, target = ''] of withoutScripts(html).matchAll(/<a [^>]*href="([^"]*)"/g)) {
        if (/^https?:|^mailto:/.test(target)) continue
        const [file = '', anchor] = target.split('#', 2)
        const page = pages.get(file === '' ? path : normalize(join(dirname(path), file)))
        const isThere = anchor === undefined || page?.includes(` id="${anchor}"`)
        if (page === undefined || !isThere) broken.push(`${path}: ${target}`)
      }
    expect(broken).toEqual([])
  })

  it('run no script but their own, and allow no connection', () => {
    for (const [path, html] of pages) {
      const policy = /content-security-policy" content="([^"]*)"/.exec(html)?.[1]
      expect(policy, path).toContain("default-src 'none'")
      expect(policy, path).toMatch(
        path === 'index.html' ? /connect-src 'none'/ : /^(?!.*(?:connect|script)-src)/,
      )
    }
  })
})

function withoutScripts(html: string): string {
  return html.replace(/<script.*?<\/script>/gs, '')
}

describe('Markdown as HTML', () => {
  it('has anchors, safe texts and the colours of code', () => {
    const html = markdownHtml(
      '# A `b`\n\n## A b\n\n[x](y.md) ![a"b](c.png)\n\n```ts test\nconst a = "<"\n```',
      {
        link: (target) => `${target}?l`,
        image: (target) => `${target}?i`,
      },
    )
    expect(html).toContain('<h1 id="a-b">A <code>b</code></h1>')
    expect(html).toContain('<h2 id="a-b-1">')
    expect(html).toContain('<a href="y.md?l">x</a> <img src="c.png?i" alt="a&quot;b">')
    expect(html).toContain(
      '<span class="code-keyword">const</span> a = <span class="code-string">&quot;&lt;&quot;</span>',
    )
  })
})

describe('the registry of components', () => {
  it('names the files and the packages of each item', async () => {
    const files = await registryFiles(ROOT)
    const index = JSON.parse(files.get('r/registry.json') ?? '')
    const names: readonly string[] = index.items.map(({ name }: { readonly name: string }) => name)
    expect(names).toEqual(['session-page', 'markdown', 'file-changes'])
    for (const name of names) {
      const item = JSON.parse(files.get(`r/${name}.json`) ?? '')
      expect(item.dependencies).not.toContain(expect.stringContaining('undefined'))
      expect(item.files.length).toBeGreaterThan(2)
    }
  })

  it('has items that need nothing else', async () => {
    for (const entries of [
      ['session/session-view.tsx', 'page.css'],
      ['text/markdown.tsx'],
      ['tools/changes.tsx'],
    ]) {
      const folder = await mkdtemp(join(tmpdir(), 'agentfold-copy-'))
      onTestFinished(() => rm(folder, { recursive: true }))
      for (const { target, text } of await copiedFiles(ROOT, entries)) {
        expect(text).not.toMatch(/\.tsx?'/)
        await mkdir(join(folder, dirname(target)), { recursive: true })
        await writeFile(join(folder, target), text)
      }
      const { warnings } = await build({
        entryPoints: entries.map((entry) => join(folder, 'components/agentfold', entry)),
        bundle: true,
        write: false,
        outdir: folder,
        packages: 'external',
        jsx: 'automatic',
        logLevel: 'silent',
      })
      expect(warnings).toEqual([])
    }
  })
})
