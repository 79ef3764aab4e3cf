import { JSDOM } from 'jsdom'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Markdown } from './markdown.tsx'

const htmlOf = (text: string): string =>
  renderToStaticMarkup(createElement(Markdown, { text, field: 'content' }))
    .replace(/^<div class="markdown" data-field="content">|<\/div>$/g, '')
    .replaceAll(' dir="auto"', '')

describe('a Markdown text', () => {
  beforeEach(() => {
    vi.stubGlobal('document', new JSDOM('').window.document)
  })
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  it('has paragraphs, lists, quotes and rules', () => {
    expect(htmlOf('a *b* **c** ~~d~~ `e&amp;`  \nf\n\n---\n\n> q')).toBe(
      '<p>a <em>b</em> <strong>c</strong> <del>d</del> <code dir="ltr">e&amp;amp;</code><br/>f</p><hr/><blockquote><p>q</p></blockquote>',
    )
    expect(htmlOf('3. a\n4. b\n\n- [x] c\n- [ ] d\n  - e')).toBe(
      '<ol start="3"><li>a</li><li>b</li></ol><ul><li class="task"><span class="check">☑ </span>c</li>' +
        '<li class="task"><span class="check">☐ </span>d<ul><li>e</li></ul></li></ul>',
    )
  })

  it('has headings that follow those of the page, without gaps', () => {
    expect(htmlOf('# a\n### b\n## c\n# d')).toBe('<h3>a</h3><h4>b</h4><h4>c</h4><h3>d</h3>')
    expect(htmlOf('> # a\n\n##### b\n###### c')).toBe(
      '<blockquote><h3>a</h3></blockquote><h4>b</h4><h5>c</h5>',
    )
  })

  it('has tables with the alignment of their columns', () => {
    expect(htmlOf('| a | b |\n| - | -: |\n| 1 | 2 |')).toBe(
      '<div class="table" role="group" aria-label="Table" tabindex="0"><table><thead><tr><th>a</th><th style="text-align:right">b</th></tr></thead>' +
        '<tbody><tr><td>1</td><td style="text-align:right">2</td></tr></tbody></table></div>',
    )
  })

  it('shows HTML and footnotes as text, and the characters that references name', () => {
    expect(htmlOf('<kbd>Ctrl</kbd> &lt;b&gt; &nbsp;&copy; \\*')).toBe(
      '<p>&lt;kbd&gt;Ctrl&lt;/kbd&gt; &lt;b&gt; \u00a0© *</p>',
    )
    expect(htmlOf('<div onclick="x">\ny\n</div>')).toContain('&lt;div onclick=&quot;x&quot;&gt;')
    expect(htmlOf('[^1]: https://a.example')).toContain('[^1]:')
    expect(htmlOf('[a]: https://a.example')).toBe('')
    expect(htmlOf('a&#x202e;b &rlm;')).toBe('<p>a\ufffdb \ufffd</p>')
  })

  it('leads to the web and to mail addresses alone, and loads no image', () => {
    const link = (href: string, text: string) =>
      `<p><a href="${href}" rel="noopener noreferrer" target="_blank">${text}</a></p>`
    expect(htmlOf('[a](https://a.example?x&amp;y)')).toBe(link('https://a.example?x&amp;y', 'a'))
    expect(htmlOf('jo@a.example')).toBe(link('mailto:jo@a.example', 'jo@a.example'))
    expect(htmlOf('![](https://a.example/b.png)')).toBe(link('https://a.example/b.png', 'image'))
    for (const address of ['javascript:x', 'data:text/html,x', '&#106;avascript:x', '/etc/passwd'])
      expect(htmlOf(`[a](${address})`)).toBe('<p><span>a</span></p>')
  })

  it('is shown as it is where it is nested too deep', () => {
    expect(htmlOf(`${'*a '.repeat(150)}${'a* '.repeat(150)}`)).not.toContain('<em>')
    expect(htmlOf('>'.repeat(20_000))).toContain('output-text')
  })
})
