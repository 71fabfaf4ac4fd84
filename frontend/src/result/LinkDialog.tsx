import { useActions } from "../state";
import { Button, Dialog } from "../ui";
import { AddressText } from "./AddressText";
import { readAddress } from "./address";

/** A link of a server opens only after the person has seen where it leads. */
export function LinkDialog({ url, onClose }: { url: string; onClose: () => void }) {
  const actions = useActions();
  const address = readAddress(url);
  return (
    <Dialog
      title="Open this address in your browser?"
      onClose={onClose}
      footer={
        <>
          <span className="grow" />
          <Button onPress={() => void actions.copy(address.url, "Address")}>Copy</Button>
          <Button onPress={onClose}>Cancel</Button>
          <Button
            tone="primary"
            isDisabled={!address.opens}
            onPress={() => {
              void actions.openURL(address.url);
              onClose();
            }}
          >
            Open
          </Button>
        </>
      }
    >
      <AddressText address={address} />
    </Dialog>
  );
}
