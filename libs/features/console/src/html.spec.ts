import { describe, expect, it } from '@jest/globals';
import { html } from './html';

describe('a piece of a page', () => {
  it('escapes what is put in', () => {
    expect(html`<b title="${`"'`}">${'<script>&'}</b>`.text).toBe('<b title="&quot;&#39;">&lt;script&gt;&amp;</b>');
  });

  it('takes pieces and lists of pieces as they are', () => {
    const items = ['a', '<'].map((text) => html`<li>${text}</li>`);

    expect(html`<ul>${items}</ul>${html`<hr>`}`.text).toBe('<ul><li>a</li><li>&lt;</li></ul><hr>');
  });
});
