import { Modal } from '../../shared/views/modal.tsx';
import { useHome } from '../home-context.ts';

const COMMANDS = [
  'content import wordpress export.xml',
  'content import ghost export.json --site https://old.example',
];

/** Says how the articles of another site come here. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const { say } = useHome().texts;
  return (
    <Modal title={say('importFirst')} onClose={onClose} look="small">
      <p>{say('importExport')}</p>
      <p>{say('importRun')}</p>
      {COMMANDS.map((command) => (
        <code key={command} class="home-command">
          npx -y pnpm@12 {command}
        </code>
      ))}
    </Modal>
  );
}
