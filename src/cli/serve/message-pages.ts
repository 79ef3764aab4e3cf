import { createHash } from 'node:crypto'

export const HTML = 'text/html; charset=utf-8'

/** No content may load or run anything. */
export const NOTHING = "default-src 'none'; frame-ancestors 'none'"

/** The colours and letters of the page. */
const STYLE =
  ':root{color-scheme:light dark}body{max-width:37rem;margin:4rem auto;padding:0 ' +
  '1.25rem;background:light-dark(#fcfbf9,#17181a);color:light-dark(#24221f,#e6e3dd);font:1rem/1.6 ' +
  'system-ui,sans-serif}h1{font-size:1.25rem}a{color:light-dark(#1f6660,#7cc4bb)}'

const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`

export const MESSAGE_HEADERS = {
  'content-type': HTML,
  'content-security-policy': `${NOTHING}; style-src ${STYLE_HASH}`,
}

function messagePage(title: string, words: string): string {
  return `<!doctype html>
<html lang="en">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
<main>
<h1>${title}</h1>
<p>${words}</p>
</main>
</html>
`
}

export const INCOMPLETE = messagePage(
  'The address is not complete',
  'Open the whole address that <code>agentfold serve</code> printed. ' +
    'It ends with a secret that keeps the session private, and each start has a new one.',
)

export const NOT_FOUND = messagePage(
  'Nothing is here',
  'No session has this address. <a href="./">See what is here.</a>',
)
