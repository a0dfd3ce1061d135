import { describe, expect, it } from '@jest/globals';
import { renderStartPage } from './start-page';

const FACTS = { version: '1.2.3', publicUrl: 'https://ci.example.com/hammer', features: ['TaskDispatcherModule', 'TimeMachineModule'] };

describe('the start page', () => {
  it('says what runs here', () => {
    const page = renderStartPage(FACTS);

    expect(page).toContain('<dt>Version</dt><dd>1.2.3</dd>');
    expect(page).toContain('<code>https://ci.example.com/hammer</code>');
    expect(page).toContain('<strong>Task dispatcher</strong><span>Hands jobs to runners and takes their results</span>');
  });

  it('names a feature that it knows nothing of', () => {
    expect(renderStartPage(FACTS)).toContain('<strong>Time machine</strong><span></span>');
  });

  it('has the commands for this address', () => {
    const page = renderStartPage(FACTS);

    expect(page).toContain('export TRIPHAMMER_URL=https://ci.example.com/hammer\n');
    expect(page).toContain('--instance https://ci.example.com/hammer --token &quot;$TOKEN&quot;');
  });

  it('loads nothing and runs nothing', () => {
    const page = renderStartPage(FACTS);

    expect(page).not.toMatch(/<script|<iframe|<form| on\w+=|@import|url\(/i);
    expect([...page.matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1]?.slice(0, 14))).toEqual(['data:image/svg']);
  });

  it('shows an address as text, whatever is in it', () => {
    const page = renderStartPage({ ...FACTS, publicUrl: 'https://x/<script>' });

    expect(page).not.toContain('<script>');
  });
});
