import { useActions } from "../state";
import { Dialog } from "../ui";
import { shortcuts } from "./keys";

export function KeysDialog() {
  const actions = useActions();
  return (
    <Dialog title="Keyboard" width={460} onClose={() => actions.closeDialog()}>
      <table className="facts">
        <tbody>
          {shortcuts.map(({ keys, what }) => (
            <tr key={keys}>
              <td>
                <span className="kbd">{keys}</span>
              </td>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}
