import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { noticesOf, packagesIn } from './notices.ts'

/** A page, and the names of its script and its style in its folder. */
interface PageSource {
  readonly folder: string
  readonly script: string
  readonly style: string
}

interface PageOptions {
  /** The default is the page of `agentfold serve`. `REPORT` is the page of a report, which has its session with it. */
  readonly source?: PageSource
  /** Uses the build of React in which `<Profiler>` reports renders, so that a test can count them. */
  readonly countsRenders?: boolean
}

/** Builds the page as one HTML file: it has its script and its style, and sends no request to another place. */
export async function buildPage({ source = PAGE, countsRenders = false }: PageOptions = {}): Promise<string> {
  const { folder, script, style } = source
  const { outputFiles, metafile } = await build({
    entryPoints: [join(folder, script), join(folder, style)],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    outdir: folder,
    format: 'iife',
    target: 'es2022',
    jsx: 'automatic',
    charset: 'utf8',
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
    alias: {
      agentfold: join(ROOT, 'src/entries/index.ts'),
      'agentfold/source-kit': join(ROOT, 'src/entries/source-kit.ts'),
      'agentfold/sync': join(ROOT, 'src/entries/sync.ts'),
      'agentfold/react': join(ROOT, 'src/entries/react.ts'),
      ...(countsRenders && { 'react-dom/client': 'react-dom/profiling' }),
    },
    logLevel: 'silent',
    plugins: [WITHOUT_RENDERERS],
  })
  const textOf = (extension: string) => outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? ''
  return assemble(await readFile(join(folder, 'index.html'), 'utf8'), {
    script: textOf('.js'),
    style: textOf('.css'),
    notices: await noticesOf('This page', packagesIn(metafile)),
  })
}

/**
 * The page reads Markdown into tokens alone. The module makes an instance with its renderers when it is loaded, which
 * would keep 11 kB in the page.
 */
const WITHOUT_RENDERERS: Plugin = {
  name: 'without-renderers',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]marked\.esm\.js$/ }, async ({ path }) => {
      const [, classes, lexer] =
        /^([\s\S]*;)var \w+=new \w+;function [\s\S]*export\{[^}]*?(\w+) as Lexer\b/.exec(
          await readFile(path, 'utf8'),
        ) ?? []
      if (classes === undefined) throw new Error(`${path} has another form: adapt this plugin to it`)
      return { contents: `${classes}export{${lexer} as Lexer}` }
    }),
}

// Two folders up from this file, and also from the bundled programs of `npm run app`. The build of the package runs in the root.
export const ROOT: string =
  [join(import.meta.dirname, '../..'), import.meta.dirname].find((folder) =>
    existsSync(join(folder, 'src/page')),
  ) ?? ''
const PAGE: PageSource = {
  folder: join(ROOT, 'src/page'),
  script: 'page.tsx',
  style: 'page.css',
}

/** The page of a report: without the list of sessions and the connection to a server, so that each report is small. */
export const REPORT: PageSource = { ...PAGE, script: 'report.tsx', style: 'report.css' }

interface PageParts {
  readonly script: string
  readonly style: string
  readonly notices: string
}

function assemble(html: string, { script, style, notices }: PageParts): string {
  // No text of the script may end its element.
  const safeScript = script.replaceAll('</script', '<\\/script').replaceAll('<!--', '\\x3C!--')
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(safeScript)}'`,
    `style-src '${hashOf(style)}'`,
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const parts: Readonly<Record<string, string>> = { policy, style, script: safeScript, notices }
  return html.replace(/<!-- (policy|style|script|notices) -->/g, (mark, name: string) => {
    if (name === 'policy') return `<meta http-equiv="content-security-policy" content="${policy}">`
    if (name === 'notices') return `<!--\n${notices}\n-->`
    return parts[name] === undefined ? mark : `<${name}>${parts[name]}</${name}>`
  })
}

/** Returns the source of a script or a style for a content security policy. */
export function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
