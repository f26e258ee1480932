document.getElementById("old").hidden = false;
